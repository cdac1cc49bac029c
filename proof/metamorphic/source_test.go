//go:build go1.25

package metamorphic

import (
	_ "embed"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// preamble is the beginning of each program's source: package, pools, and the few functions
// that its statements call.
//
//go:embed testdata/preamble.go.txt
var preamble string

// source returns Go code of p with a configuration, to read and to run. The code compares the
// contents of slices; other results are comments.
func (p *program) source(c *config) string {
	o := p.runWith(c, nil)
	var b strings.Builder
	fmt.Fprintf(&b, "\n// Seed %d, configuration %s.\nfunc main() {\n", p.seed, c.name)
	fmt.Fprintf(&b, "runtime.GOMAXPROCS(%d)\n", c.procs[0])
	if c.gogc != 0 {
		fmt.Fprintf(&b, "debug.SetGCPercent(%d)\n", c.gogc)
	}
	if c.checked() {
		fmt.Fprintf(&b, "%s\n", checkingSource(levelOf(c, 0)))
	}
	if c.beside {
		b.WriteString("go func() {\nfor {\n")
		for _, k := range c.checks {
			fmt.Fprintf(&b, "%s\nruntime.Gosched()\n", checkingSource(k))
		}
		b.WriteString("}\n}()\n")
	}
	w := newWorld(p, c)
	fmt.Fprintf(&b, "limit = &basin.Limit{Max: %d}\nnone, _ = limit.Acquire(context.Background(), 0)\n", w.limit.Max)
	b.WriteString("p = []pool{def{},\n")
	pool := func(s bytePoolSpec, of *basin.BytePool) {
		limit := "nil"
		if of.Limit != nil {
			limit = "limit"
		}
		fmt.Fprintf(&b, "&basin.BytePool{MinSize: %d, MaxSize: %d, MaxIdle: %d, IdleTime: %d, MaxInUse: %d, MaxFit: %d, Zero: %v, Adopts: %v, Limit: %s}",
			s.minSize, s.maxSize, c.maxIdle, c.idleTime, of.MaxInUse, c.fit(p), c.zero, s.adopts, limit)
	}
	for i, s := range p.bytePools {
		pool(s, w.real[i+1])
		b.WriteString(",\n")
	}
	b.WriteString("}\nother = ")
	pool(bytePoolSpec{}, w.other)
	fmt.Fprintf(&b, "\nsetup(%d, %d, %d)\n\n", p.initial, c.maxIdle, p.fixedCount)
	statements := func(o *outcome, op op) string {
		text := o.text[op.index]
		if text == "" {
			return ""
		}
		s := text + "\n"
		if r := o.ops[op.index]; r != "" {
			s = fmt.Sprintf("// Operation %d, %s: %s.\n", op.index, op.kind.name, strings.ReplaceAll(r, "\n", " ")) + s
		}
		return s
	}
	for at := 0; at < len(p.ops); {
		end := at + 1
		for p.ops[at].g != main && end < len(p.ops) && p.ops[end].g != main {
			end++
		}
		phase := p.ops[at:end]
		at = end
		several := slices.ContainsFunc(phase, func(o op) bool { return o.g != phase[0].g })
		if !several || c.serial {
			for _, op := range phase {
				b.WriteString(statements(o, op))
			}
			continue
		}
		b.WriteString("together(\n")
		for g := range p.goroutines {
			var does string
			for _, op := range phase {
				if op.g == g {
					does += statements(o, op)
				}
			}
			if does != "" {
				fmt.Fprintf(&b, "func() {\n%s},\n", does)
			}
		}
		b.WriteString(")\n")
	}
	if o.last != "" {
		fmt.Fprintf(&b, "\n// In the end everything is given back.\n%s\n", o.last)
	}
	b.WriteString("end()\n}\n")
	text, err := format.Source([]byte(b.String())) // only a part of a file
	if err != nil {
		return preamble + b.String() // can be read, at least
	}
	return preamble + string(text)
}

// checkingSource returns a call of basincheck.Set.
func checkingSource(c basincheck.Settings) string {
	return fmt.Sprintf("basincheck.Set(basincheck.Settings{Level: %d, Every: %d, Guard: %v, Handler: report})", c.Level, c.Every, c.Guard)
}

// TestSource prints programs that contain every operation. The long form also compiles and runs
// them.
func TestSource(t *testing.T) {
	if testenv.Race {
		t.Skip("slow with the race detector, which finds nothing here")
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module replay\n\ngo 1.25\n\nrequire github.com/basin-go/basin v0.0.0\n\nreplace github.com/basin-go/basin => %s\n", root)
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", mod)
	all := make(map[*kind]bool)
	for seed := uint64(0); len(all) < len(kinds) && seed < 200; seed++ {
		p := generate(seed)
		if !slices.ContainsFunc(p.ops, func(o op) bool { return !all[o.kind] }) {
			continue
		}
		for _, o := range p.ops {
			all[o.kind] = true
		}
		source := p.source(configOf("levels"))
		if _, err := parser.ParseFile(token.NewFileSet(), "main.go", source, 0); err != nil {
			t.Error(err)
		}
		write(fmt.Sprintf("p%d/main.go", seed), source)
	}
	if len(all) < len(kinds) {
		t.Errorf("programs have %d of %d kinds of operations", len(all), len(kinds))
	}
	if !pooltest.Long() {
		return
	}
	for _, args := range [][]string{{"vet", "./..."}, {"run", "./p0"}} {
		run := exec.Command("go", args...)
		run.Dir = dir
		run.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if args[0] == "run" && (strings.Contains(string(out), "WRITTEN TO") || !strings.Contains(string(out), "fp[1]: ")) {
			t.Errorf("%s", out)
		}
	}
}
