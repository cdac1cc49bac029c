package programs

import (
	"bytes"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

// A written program is a function that prints its actions.
type written struct {
	name, text string
	pool       string // of its own, that others share
	flaky      bool   // with the race detector, which has sync.Pool forget at random
}

const poolsOfPrograms = `package main

import "github.com/basin-go/basin"

var (
	values   basin.BytePool
	pointers = &basin.BytePool{Name: "pointers"}
)
`

// importing is the beginning of a file of programs.
var importing = func() string {
	uses := []string{"bufio.NewWriter", "bytes.Clone", "json.Indent", "fmt.Sprint", "io.EOF", "slices.Clip[[]byte]", "strconv.Itoa", "strings.Repeat", "sync.Pool{}", "unsafe.Pointer(nil)", "basin.Get"}
	paths := []string{"bufio", "bytes", "encoding/json", "fmt", "io", "slices", "strconv", "strings", "sync", "unsafe", "github.com/basin-go/basin"}
	return "package main\n\nimport (\n\t\"" + strings.Join(paths, "\"\n\t\"") + "\"\n)\n\nvar _, _, _, _, _, _, _, _, _, _, _ = " + strings.Join(uses, ", ") + "\n\n"
}()

// named writes a program with the name in it, and labels of its own.
func named(name, text string) string {
	for i := 0; strings.Contains(text, "LABEL"); i++ {
		statement, rest, _ := strings.Cut(text[strings.Index(text, "LABEL"):], "\n")
		text = text[:strings.Index(text, "LABEL")] + strings.ReplaceAll(statement, "LABEL", fmt.Sprint("l", i)) + "\n" + rest
	}
	return strings.ReplaceAll(text, "NAME", name)
}

// fixProgram writes a program for basin vet -fix.
func fixProgram(name, pool string, statements ...string) written {
	text := "func NAME(t *T) {\n\tb := basin.Get(64)[:0]\n\tdefer basin.Put(b)\n\tb = basin.AppendString(b, strings.Repeat(\"x\", 100))\n"
	for _, s := range statements {
		if len(statements) > 1 {
			s = "{ " + s + " }"
		}
		text += "\t" + s + "\n"
	}
	text += "}"
	if pool != "" {
		for _, f := range []string{"Make", "Put", "AppendString", "Append", "Grow", "Get"} {
			text = strings.ReplaceAll(text, "basin."+f+"(", pool+"."+f+"(")
		}
	}
	return written{name: name, text: named(name, text), pool: pool}
}

// fixPrograms returns the corpus and the given number of random programs.
func fixPrograms(random int) (all []written) {
	for i, s := range harmless {
		all = append(all, fixProgram(fmt.Sprint("harmless", i), "", s))
	}
	for i, s := range escaping {
		all = append(all, fixProgram(fmt.Sprint("escaping", i), "", s))
	}
	for i, s := range wholeFix {
		name, pool := fmt.Sprint("whole", i), ""
		if strings.Contains(s, "values.") {
			pool = "values"
		}
		all = append(all, written{name: name, text: named(name, s), pool: pool})
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range random {
		var statements []string
		for range 1 + r.IntN(6) {
			statements = append(statements, oneOf(r, harmless, "len(b) < 50"))
		}
		if r.IntN(2) == 0 {
			statements = append(statements, escaping[r.IntN(len(escaping))])
		}
		all = append(all, fixProgram(fmt.Sprint("random", i), []string{"", "values", "pointers"}[r.IntN(3)], statements...))
	}
	return all
}

// oneOf returns one of the statements, at times in a branch, a loop or a switch with the case
// small.
func oneOf(r *rand.Rand, statements []string, small string) string {
	s := statements[r.IntN(len(statements))]
	switch r.IntN(8) {
	case 0:
		s = "if t.n >= 0 { " + s + " }"
	case 1:
		s = "for range 2 { " + s + " }"
	case 2:
		s = "switch { case " + small + ": " + s + "; default: t.n++ }"
	}
	return s
}

// How pools of buffers are made.
var bufferPools = []string{
	"sync.Pool{New: func() any { return new(bytes.Buffer) }}",
	"sync.Pool{New: func() interface{} { return &bytes.Buffer{} }}",
	"&sync.Pool{New: func() any { return bytes.NewBuffer(nil) }}",
	"sync.Pool{\n\tNew: func() any { return bytes.NewBuffer(make([]byte, 0, 512)) },\n}",
	"sync.Pool{New: func() any {\n\tb := new(bytes.Buffer)\n\tb.Grow(100)\n\treturn b\n}}",
	"sync.Pool{New: func() any { return bytes.NewBufferString(\"full\") }}",
}

// How buffers are put: at once, and at the end.
var (
	deferredPuts = []string{"defer NAMEp.Put(b)", "defer func() { b.Reset(); NAMEp.Put(b) }()", "defer NAMEput(b)", "defer func() { NAMEput(b) }()", "put := func() { b.Reset(); NAMEp.Put(b) }; defer put()"}
	inlinePuts   = []string{"NAMEp.Put(b)", "b.Reset(); NAMEp.Put(b)", "NAMEput(b)"}
)

// migrateProgram writes a program for basin migrate. Without a deferred Put the last statement has it.
func migrateProgram(name, pool string, reset bool, put string, flaky bool, statements ...string) written {
	text := "var NAMEp = " + pool + "\n\nfunc NAMEput(b *bytes.Buffer) {\n\tif b.Cap() > 1<<20 {\n\t\treturn\n\t}\n\tb.Reset()\n\tNAMEp.Put(b)\n}\n\n" +
		"func NAME(t *T) {\n\tb := NAMEp.Get().(*bytes.Buffer)\n"
	if reset {
		text += "\tb.Reset()\n"
	}
	if put != "" {
		text += "\t" + put + "\n"
	}
	for _, s := range statements {
		if len(statements) > 1 {
			s = "{ " + s + " }"
		}
		text += "\t" + s + "\n"
	}
	return written{name: name, text: named(name, text+"}"), flaky: flaky || !reset}
}

// migratePrograms returns the corpus and the given number of random programs.
func migratePrograms(random int) (all []written) {
	for i, s := range bufferUses {
		all = append(all, migrateProgram(fmt.Sprint("use", i), bufferPools[i%5], true, deferredPuts[i%len(deferredPuts)], false, s))
	}
	for i, s := range bufferWrongs {
		s = strings.ReplaceAll(s, "PUT", inlinePuts[i%len(inlinePuts)])
		all = append(all, migrateProgram(fmt.Sprint("wrong", i), bufferPools[i%5], true, "", true, s))
	}
	for i, s := range wholeMigrate {
		name := fmt.Sprint("whole", i)
		all = append(all, written{name: name, text: named(name, s), flaky: true})
	}
	r := rand.New(rand.NewPCG(2, 2))
	for i := range random {
		var statements []string
		for range 1 + r.IntN(5) {
			statements = append(statements, oneOf(r, bufferUses, "b.Len() < 5"))
		}
		put, wrong := "", false
		switch r.IntN(4) {
		case 0:
			wrong = true
			s := bufferWrongs[r.IntN(len(bufferWrongs))]
			statements = append(statements, strings.ReplaceAll(s, "PUT", inlinePuts[r.IntN(len(inlinePuts))]))
		case 1:
			statements = append(statements, inlinePuts[r.IntN(len(inlinePuts))])
		default:
			put = deferredPuts[r.IntN(len(deferredPuts))]
		}
		all = append(all, migrateProgram(fmt.Sprint("random", i), bufferPools[r.IntN(len(bufferPools))], r.IntN(4) > 0, put, wrong, statements...))
	}
	return all
}

// writePrograms makes a module of the programs and returns its directory.
func writePrograms(t *testing.T, programs []written) string {
	t.Helper()
	harness, err := os.ReadFile(filepath.Join("testdata", "keeps", "harness.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"harness.go": string(harness), "pools.go": poolsOfPrograms}
	const each = 200
	for i := 0; i < len(programs); i += each {
		text := importing
		adds := "func init() {\n"
		for _, p := range programs[i:min(i+each, len(programs))] {
			text += p.text + "\n\n"
			pool := map[string]string{"": "", "values": ", &values", "pointers": ", pointers"}[p.pool]
			adds += fmt.Sprintf("\tadd(%q, %s%s)\n", p.name, p.name, pool)
		}
		formatted, err := format.Source([]byte(text + adds + "}\n"))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		files[fmt.Sprintf("p%d.go", i/each)] = string(formatted)
	}
	return module(t, files)
}

// output runs the programs of a directory and returns the output of each, by its name.
func output(t *testing.T, dir string, flags ...string) map[string]string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "programs.exe")
	build := exec.Command("go", append(append([]string{"build", "-o", bin}, flags...), ".")...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.5000s", err, out)
	}
	cmd := exec.Command(bin)
	// On one P and without collections, a sync.Pool hands out the item put last.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%.5000s", err, &stderr)
	}
	all := map[string]string{}
	name := ""
	for line := range strings.Lines(stdout.String()) {
		if n, _, ok := strings.Cut(line, ": "); ok && strings.Trim(n, "abcdefghijklmnopqrstuvwxyz0123456789") == "" && !strings.HasPrefix(n, "panic") {
			name = n
		}
		all[name] += line
	}
	return all
}

// differ returns the programs that print something else.
func differ(before, after map[string]string, programs []written, flaky bool) (changed []written) {
	for _, p := range programs {
		if before[p.name] != after[p.name] && (flaky || !p.flaky) {
			changed = append(changed, p)
		}
	}
	return changed
}

// randomPrograms returns the number of random programs: 400, or BASIN_TEST_PROGRAMS. .ci/weekly has 10,000.
func randomPrograms(t *testing.T) int {
	if text := os.Getenv("BASIN_TEST_PROGRAMS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			t.Fatalf("The environment variable BASIN_TEST_PROGRAMS is %q, but must be a number.", text)
		}
		return n
	}
	if !pooltest.Long() {
		t.Skip("compiles and runs hundreds of programs twice")
	}
	return 400
}

// keeps runs the programs before and after a tool, which must change at least the given number of them. They are compiled a
// thousand at a time. The first thousand, which include the written programs, run with the race detector too.
func keeps(t *testing.T, programs []written, least int, tool func(t *testing.T, dir string) (changed int)) {
	needGo(t)
	changed, i := 0, 0
	for some := range slices.Chunk(programs, 1000) {
		t.Run(fmt.Sprint(i), func(t *testing.T) { changed += keepsSome(t, some, i == 0, tool) })
		i++
	}
	if changed < least {
		t.Errorf("%d of %d programs are changed, want at least %d", changed, len(programs), least)
	}
	t.Logf("%d of %d programs are changed", changed, len(programs))
}

func keepsSome(t *testing.T, programs []written, race bool, tool func(t *testing.T, dir string) int) (changed int) {
	dir := writePrograms(t, programs)
	before := output(t, dir)
	if len(before) != len(programs) {
		t.Errorf("%d of %d programs print something", len(before), len(programs))
	}
	var raced map[string]string
	if race {
		raced = output(t, dir, "-race")
	}
	changed = tool(t, dir)
	report := func(how string, before, after map[string]string, flaky bool) {
		changed := differ(before, after, programs, flaky)
		for _, p := range changed[:min(len(changed), 10)] {
			t.Errorf("%s%s prints\n%s\nand printed before\n%s\n%s", p.name, how, after[p.name], before[p.name], p.text)
		}
		if len(changed) > 10 {
			t.Errorf("%d programs%s print something else", len(changed), how)
		}
	}
	report("", before, output(t, dir), true)
	if race {
		report(" with the race detector", raced, output(t, dir, "-race"), false)
	}
	return changed
}

// occurrences counts a text in the Go files of a directory.
func occurrences(t *testing.T, dir, text string) (n int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(data, []byte(text))
	}
	return n
}

// TestFixKeeps runs programs before and after basin vet -fix.
func TestFixKeeps(t *testing.T) {
	random := randomPrograms(t)
	programs := fixPrograms(random)
	keeps(t, programs, len(harmless)*9/10+random/5, func(t *testing.T, dir string) int {
		before := occurrences(t, dir, "Put(b) }()")
		stdout, stderr, code := basin(t, dir, "-fix", "-staledefer", ".")
		if code == 2 || strings.Contains(stdout+stderr, "nothing in") {
			t.Errorf("exit code %d\n%.2000s%.2000s", code, stderr, stdout)
		}
		return occurrences(t, dir, "Put(b) }()") - before
	})
}

// TestMigrateKeeps runs programs before and after basin migrate.
func TestMigrateKeeps(t *testing.T) {
	programs := migratePrograms(randomPrograms(t))
	keeps(t, programs, len(programs)/2, func(t *testing.T, dir string) int {
		stdout, stderr, code := basin(t, dir, "migrate")
		if code == 2 || stderr != "" {
			t.Errorf("exit code %d\n%s%.2000s", code, stderr, stdout)
		}
		return strings.Count(stdout, " becomes a ")
	})
}

// TestKeepsNotices makes the changes of a careless tool, which the programs must notice.
func TestKeepsNotices(t *testing.T) {
	needGo(t)
	if !pooltest.Long() {
		t.Skip("runs programs once more")
	}
	emptied := strings.NewReplacer(`sync.Pool{New: func() any { return new(bytes.Buffer) }}`, "basin.StdBufferPool{}", ".Get().(*bytes.Buffer)", ".Get()")
	for name, tt := range map[string]struct {
		programs []written
		careless func(p written) string
		want     int
	}{
		"every deferred Put": {fixPrograms(0), func(p written) string {
			return strings.ReplaceAll(p.text, "defer basin.Put(b)", "defer func() { basin.Put(b) }()")
		}, 25},
		"every pool": {migratePrograms(0), func(p written) string {
			if !strings.HasPrefix(p.text, "var "+p.name+"p = sync.Pool{New: func() any { return new(") {
				return p.text
			}
			return emptied.Replace(p.text)
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var careless []written
			for _, p := range tt.programs {
				careless = append(careless, written{name: p.name, text: tt.careless(p), pool: p.pool})
			}
			changed := differ(output(t, writePrograms(t, tt.programs)), output(t, writePrograms(t, careless)), tt.programs, true)
			if len(changed) < tt.want {
				t.Errorf("%d programs notice, want %d", len(changed), tt.want)
			}
			t.Logf("%d of %d programs notice", len(changed), len(tt.programs))
		})
	}
}
