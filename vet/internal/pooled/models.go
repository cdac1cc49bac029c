package pooled

import (
	_ "embed"
	"fmt"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// A model describes a function's use of pooled memory. Arguments are counted from 0,
// the receiver included; no stands for a role that it does not have.
type model struct {
	get                                      bool
	put, tryput, grow, free, retain, release int
	leave                                    int
	view, part, holds, adopt, detach, stale  int
	strict, calm, ignore, new                bool
	keeps, starts, resets, fills             int // see keep, go, reset and fill
	forget                                   bool
}

const no = -1

type modelTable struct {
	funcs    map[string]*model
	owned    map[string]bool // TYPE.FIELD
	handlers map[string]bool // types of arguments
	packages map[string]bool // that have a model with a put
	modeled  map[string]bool // packages that have any
}

//go:embed models.txt
var modelText string

var models = parseModels(modelText)

func parseModels(text string) *modelTable {
	t := &modelTable{funcs: map[string]*model{}, owned: map[string]bool{}, handlers: map[string]bool{},
		packages: map[string]bool{}, modeled: map[string]bool{}}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, roles, _ := strings.Cut(line, " ")
		switch name {
		case "":
			continue
		case "owned":
			t.owned[strings.TrimSpace(roles)] = true
			continue
		case "handler":
			typ := strings.TrimSpace(roles)
			t.handlers[typ] = true
			t.packages[packageOf(typ)] = true
			continue
		}
		m := &model{put: no, tryput: no, grow: no, free: no, leave: no, retain: no, release: no,
			view: no, part: no, holds: no, adopt: no, detach: no, stale: no, keeps: no, starts: no, resets: no, fills: no}
		for role := range strings.SplitSeq(roles, ";") {
			if err := m.set(strings.Fields(role)); err != nil {
				panic(fmt.Sprintf("models.txt:%d: %v", i+1, err))
			}
		}
		t.funcs[name] = m
		t.modeled[packageOf(name)] = true
		if m.putsAny() {
			t.packages[packageOf(name)] = true
		}
	}
	return t
}

// isPool reports whether a type has a method that gets memory or puts its argument.
func isPool(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || !models.packages[n.Obj().Pkg().Path()] {
		return false
	}
	for m := range n.Origin().Methods() {
		if f := models.find(m); f != nil && (f.get || f.put > 0) {
			return true
		}
	}
	return false
}

// putsAny reports whether the function may end the life of an argument.
func (m *model) putsAny() bool {
	return m.put != no || m.tryput != no || m.grow != no || m.free != no || m.release != no
}

func (m *model) set(role []string) error {
	if len(role) == 0 {
		return fmt.Errorf("a role is missing")
	}
	flags := map[string]*bool{"get": &m.get, "strict": &m.strict, "calm": &m.calm, "ignore": &m.ignore, "new": &m.new, "forget": &m.forget}
	args := map[string]*int{"put": &m.put, "tryput": &m.tryput, "grow": &m.grow, "free": &m.free, "leave": &m.leave, "retain": &m.retain,
		"release": &m.release, "view": &m.view, "part": &m.part, "holds": &m.holds,
		"adopt": &m.adopt, "detach": &m.detach, "stale": &m.stale, "keep": &m.keeps, "go": &m.starts, "reset": &m.resets, "fill": &m.fills}
	if flag := flags[role[0]]; flag != nil && len(role) == 1 {
		*flag = true
		return nil
	}
	if arg := args[role[0]]; arg != nil && len(role) == 2 {
		n, err := strconv.Atoi(role[1])
		*arg = n
		return err
	}
	return fmt.Errorf("%q is no role", strings.Join(role, " "))
}

// packageOf returns the package path of a full name such as (*a/b.T).M or a/b.F.
func packageOf(name string) string {
	name = strings.TrimLeft(name, "(*")
	slash := strings.LastIndex(name, "/")
	if dot := strings.Index(name[slash+1:], "."); dot >= 0 {
		return name[:slash+1+dot]
	}
	return name
}

var typeArguments = regexp.MustCompile(`\[[^\[\]]*\]`)

// fullName names a function as the models do.
func fullName(f *types.Func) string {
	name := f.Origin().FullName()
	for strings.Contains(name, "[") {
		short := typeArguments.ReplaceAllString(name, "")
		if short == name {
			break
		}
		name = short
	}
	if i := strings.LastIndex(name, "/vendor/"); i >= 0 {
		head := name[:strings.IndexAny(name+"a", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")]
		name = head + name[i+len("/vendor/"):]
	}
	return name
}

// find returns the model of a function, or nil.
func (t *modelTable) find(f *types.Func) *model {
	if f.Pkg() == nil {
		return nil
	}
	path := f.Pkg().Path()
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	if !t.modeled[path] {
		return nil
	}
	name := fullName(f)
	if m := t.funcs[name]; m != nil {
		return m
	}
	if dot := strings.LastIndex(name, ")."); dot >= 0 {
		return t.funcs[name[:dot+2]+"*"]
	}
	return nil
}

// calmPackages are the packages of the standard library whose functions keep nothing and
// let no other goroutine go on.
var calmPackages = map[string]bool{
	"bytes": true, "strings": true, "strconv": true, "errors": true, "fmt": true, "log": true, "math": true,
	"sort": true, "slices": true, "unicode": true, "unicode/utf8": true, "encoding/binary": true,
	"encoding/hex": true, "encoding/base64": true, "math/bits": true, "path": true, "path/filepath": true,
	"hash/crc32": true, "crypto/sha256": true, "crypto/md5": true, "crypto/sha1": true, "log/slog": true,
}
