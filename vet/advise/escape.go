package advise

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// Lines of the compiler's -m=2: an escaping value, and each step on its way to the
// heap.
var (
	escapes = regexp.MustCompile(`^(.+\.go):(\d+):\d+: .* escapes to heap in .*:$`)
	step    = regexp.MustCompile(`^.+\.go:\d+:\d+:\s+from (.+) \(([^()]*)\) at .+:(\d+):\d+$`)
)

// addEscapes adds to sites that should be pooled, or could stay on the stack, why the compiler has them on the heap. If
// the build fails, they stay without.
func (s *source) addEscapes(ctx context.Context, sites []*Site) {
	var pkgs []string
	byLine := map[string]*Site{} // file and line
	for _, site := range sites {
		f := s.files[s.names[site]]
		if f == nil || site.found == nil || site.Verdict != PoolIt && site.Verdict != Stack {
			continue
		}
		if _, ok := site.found.instr.(*ssa.Call); ok {
			continue // the value that escapes there is of another function, inlined
		}
		pos := s.position(site.found.instr.Pos())
		byLine[fmt.Sprintf("%s:%d", pos.Filename, pos.Line)] = site
		if !slices.Contains(pkgs, f.pkg.PkgPath) {
			pkgs = append(pkgs, f.pkg.PkgPath)
		}
	}
	for _, pkg := range pkgs {
		args := slices.Concat([]string{"build", "-o", os.DevNull, "-gcflags=-m=2"}, s.flags, []string{"--", pkg})
		cmd := rewrite.Command(ctx, "go", args...)
		var out bytes.Buffer
		cmd.Dir, cmd.Stderr = s.dir, &out
		if cmd.Run() != nil {
			return
		}
		s.readEscapes(&out, byLine)
	}
}

func (s *source) readEscapes(out *bytes.Buffer, byLine map[string]*Site) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxMessage)
	var site *Site
	for lines.Scan() {
		text := lines.Text()
		if m := escapes.FindStringSubmatch(text); m != nil {
			name := m[1]
			if !filepath.IsAbs(name) {
				name = filepath.Join(s.dir, name)
			}
			site = byLine[name+":"+m[2]]
			continue
		}
		if site == nil {
			continue
		}
		if m := step.FindStringSubmatch(text); m != nil { // the last one is the cause
			site.Escape = fmt.Sprintf("%s at line %s (%s)", m[1], m[3], m[2])
		} else if !strings.Contains(text, ":   flow: ") {
			site = nil
		}
	}
}
