//go:build go1.25

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const library = "github.com/basin-go/basin"

// build makes the programs of a row, in modules of their own in dir: original, basin, and syncPool if the row has a
// sync.Pool at the lines where basin's pools are.
func build(ctx context.Context, root, dir string, r row) (map[string]string, error) {
	programs := map[string]string{}
	for _, name := range []string{original, syncPool, basin} {
		of := filepath.Join(dir, name)
		b := &builder{ctx: ctx, root: root, row: r, program: filepath.Join(of, "program"), module: filepath.Join(of, "module")}
		if err := b.sources(); err != nil {
			return nil, err
		}
		switch name {
		case syncPool:
			script, tagged := b.has("syncpool"), b.has("syncpool.go")
			if script {
				if err := b.run(b.module, filepath.Join(b.program, "syncpool")); err != nil {
					return nil, err
				}
			}
			if !script && !tagged {
				continue
			}
		case basin:
			if err := b.change(programs[original]); err != nil {
				return nil, err
			}
		}
		var err error
		if programs[name], err = b.build(name); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

// The programs of a row. Their names are build tags, too.
const (
	original = "original"
	syncPool = "sync"
	basin    = "basin"
)

type builder struct {
	ctx             context.Context
	root            string
	row             row
	program, module string // directories of the program, and of the copy of the module
}

// has reports whether the row has a file of that name.
func (b *builder) has(name string) bool {
	_, err := os.Stat(filepath.Join(b.program, name))
	return err == nil
}

func (b *builder) run(dir, name string, args ...string) error {
	_, err := command(b.ctx, dir, []string{"GOWORK=off", "GOFLAGS=-mod=mod"}, name, args...)
	return err
}

// sources makes a module of the program, and a copy of the module that changes.
func (b *builder) sources() error {
	if err := os.MkdirAll(b.program, 0o777); err != nil {
		return err
	}
	testdata := filepath.Join(b.root, "proof/results/process/testdata")
	for _, name := range []string{"common", b.row.name} {
		if err := os.CopyFS(b.program, os.DirFS(filepath.Join(testdata, name))); err != nil {
			return err
		}
	}
	out, err := command(b.ctx, b.program, []string{"GOWORK=off"}, "go", "mod", "download", "-json", b.row.modules[0])
	if err != nil {
		return err
	}
	var downloaded struct{ Path, Dir string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return err
	}
	if err := os.CopyFS(b.module, os.DirFS(downloaded.Dir)); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(b.module, "go.mod")); os.IsNotExist(err) {
		if err := b.run(b.module, "go", "mod", "init", downloaded.Path); err != nil {
			return err
		}
	}
	// Patches have type arguments and clear, so both programs are built with a language that has them.
	out, err = command(b.ctx, b.module, []string{"GOWORK=off"}, "go", "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var file struct{ Go string }
	if err := json.Unmarshal([]byte(out), &file); err != nil {
		return err
	}
	if version.Compare("go"+file.Go, "go1.21") < 0 {
		if err := b.run(b.module, "go", "mod", "edit", "-go=1.21"); err != nil {
			return err
		}
		if err := b.run(b.module, "go", "mod", "tidy"); err != nil { // the newer language wants indirect requirements
			return err
		}
	}
	text := "module program\n\ngo 1.25.0\n\n"
	for _, m := range b.row.modules {
		text += "require " + strings.Replace(m, "@", " ", 1) + "\n"
	}
	text += "\nreplace " + downloaded.Path + " => " + b.module + "\n"
	replacements, err := command(b.ctx, b.root, nil, "go", "list", "-m", "-f", "replace {{.Path}} => {{.Dir}}") // of the workspace
	if err != nil {
		return err
	}
	text += replacements
	return os.WriteFile(filepath.Join(b.program, "go.mod"), []byte(text), 0o666)
}

func (b *builder) build(tag string) (string, error) {
	if err := b.run(b.program, "go", "mod", "tidy"); err != nil {
		return "", err
	}
	file := filepath.Join(b.program, tag+".exe")
	return file, b.run(b.program, "go", "build", "-tags", tag, "-o", file, ".")
}

// change changes the module or the program to basin:
//
//	advise         with the patch of basin advise, from profiles of the program under load
//	patch          with the program's script "patch", in the copy of the module
//	replace X ...  with basin's module in place of X
//	tag            not at all: the program has files with the build tag basin
func (b *builder) change(program string) error {
	how := strings.Fields(b.row.change)
	switch how[0] {
	case "tag":
		return nil
	case "replace":
		for _, path := range how[1:] {
			replacement := path + "=" + filepath.Join(b.root, "compat", filepath.Base(path))
			if err := b.run(b.program, "go", "mod", "edit", "-replace", replacement); err != nil {
				return err
			}
		}
		return nil
	}
	if err := b.run(b.module, "go", "mod", "edit", "-require", library+"@v0.0.0", "-replace", library+"="+b.root); err != nil {
		return err
	}
	switch how[0] {
	case "patch":
		return b.run(b.module, filepath.Join(b.program, "patch"))
	case "advise":
		return b.advise(program)
	}
	return fmt.Errorf("no such change: %s", b.row.change)
}

// advise applies the patch of basin advise to the module.
func (b *builder) advise(program string) error {
	basin := filepath.Join(b.program, "advise.exe")
	if _, err := command(b.ctx, b.root, nil, "go", "build", "-o", basin, "./cmd/basin"); err != nil {
		return err
	}
	s, err := start(b.ctx, variant{"profile", program, nil})
	if err != nil {
		return err
	}
	defer s.stop()
	first, second := filepath.Join(b.program, "first.pprof"), filepath.Join(b.program, "second.pprof")
	if _, err := s.order("profile " + first); err != nil {
		return err
	}
	if _, err := s.load(b.ctx, program, load{requests: 4 * b.row.requests}); err != nil {
		return err
	}
	if _, err := s.order("profile " + second); err != nil {
		return err
	}
	cmd := exec.CommandContext(b.ctx, basin, "advise", "-write", "-top", "5", first, second)
	cmd.Dir = b.module
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	fmt.Fprintf(os.Stderr, "%s\n", out)
	if err == nil && !bytes.Contains(out, []byte("\nchanged ")) {
		err = errors.New("basin advise has no patch")
	}
	return err
}
