package advise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

var wanted = regexp.MustCompile(`// want ([a-z -]+?)(?: by ([^;]+))?; (patch|no patch); ([0-9+]+)(; old)?$`) // sizes such as 4096+1024

// A want is the verdict that a line of the corpus deserves.
type want struct {
	verdict Verdict
	patch   bool
	where   string
}

// corpus copies the corpus and makes profiles of it, in which each of its lines allocates.
func corpus(t *testing.T, name string) (dir string, profiles []string, wants map[string]want) {
	t.Helper()
	needGo(t)
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	goIn(t, dir, "mod", "edit", "-replace="+strings.Replace(replacement(t), " => ", "=", 1))
	wants = map[string]want{}
	var sites []synthetic
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var fn string
		start, n := 0, 0
		for line := range strings.Lines(string(data)) {
			n++
			line = strings.TrimRight(line, "\n")
			if rest, ok := strings.CutPrefix(line, "func "); ok {
				start = n
				fn, _, _ = strings.Cut(rest, "(")
				if fn == "" { // a method
					recv, rest, _ := strings.Cut(rest[1:], ") ")
					_, recv, _ = strings.Cut(recv, " ")
					recv, _, _ = strings.Cut(recv, "[")
					if strings.HasPrefix(recv, "*") {
						recv = "(" + recv + ")"
					}
					name, _, _ := strings.Cut(rest, "(")
					fn = recv + "." + name
				}
				fn, _, _ = strings.Cut(fn, "[") // type parameters
			}
			m := wanted.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			for digits := range strings.SplitSeq(m[4], "+") {
				size, _ := strconv.ParseUint(digits, 10, 64)
				objects := 4 << 30 / size
				s := synthetic{std: m[2], name: "corpus." + fn, file: "/build/corpus/" + name, start: uint64(start), line: uint64(n), objects: objects, bytes: objects * size}
				if start == 0 {
					s.name = "corpus.init.func1"
				}
				if m[5] != "" {
					s.live, s.held = objects, objects*size
				}
				sites = append(sites, s)
			}
			wants[fmt.Sprintf("%s:%d", name, n)] = want{Verdict(m[1]), m[3] == "patch", fn}
		}
	}
	return dir, twoProfiles(t, sites...), wants
}

// needGo skips a test if there is no go command, which otherwise runs without a workspace.
func needGo(t *testing.T) {
	t.Helper()
	os.Getenv("BASIN_TEST_API") // as in basin's internal/testenv, which this module does not require
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	t.Setenv("GOWORK", "off")
}

// replacement returns the arguments of a replace directive that puts this repository in the place of basin.
func replacement(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return "github.com/basin-go/basin => " + filepath.ToSlash(root)
}

func goMod(t *testing.T, module string) string {
	t.Helper()
	return "module " + module + "\n\ngo 1.25.0\n\nrequire github.com/basin-go/basin v0.1.0\n\nreplace " + replacement(t) + "\n"
}

// writeFiles writes files into a new directory, by their names in it.
func writeFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// twoProfiles writes two profiles of a program, between which these sites allocate.
func twoProfiles(t *testing.T, sites ...synthetic) []string {
	t.Helper()
	begin := synthetic{name: "main.main", file: "/main.go", objects: 1, bytes: 1}
	return []string{heapProfile(t, 100, "a", begin), heapProfile(t, 160, "a", append(sites, begin)...)}
}

func advise(t *testing.T, dir string, profiles []string, flags ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), slices.Concat(flags, []string{"-source", dir}, profiles), &out, &errs)
	return out.String(), errs.String(), status
}

func joined(text string) string { return strings.Join(strings.Fields(text), " ") }

func goIn(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
	return out
}

// corpora are the folders of testdata.
var corpora = []string{"corpus", "keeping", "hostile", "owners", "growing", "rounds", "parts", "joined", "older", "images", "shared", "assembly", "given", "sealed", "dropped", "buffers", "exits", "fields", "clones", "tables", "visits", "factories", "prefixed", "keepers", "encoders"}

// TestCorpus has basin advise judge lines of known worth. Only lines that deserve a patch may
// have one.
func TestCorpus(t *testing.T) {
	for _, name := range corpora {
		t.Run(name, func(t *testing.T) { testCorpus(t, name) })
	}
}

func testCorpus(t *testing.T, name string) {
	t.Helper()
	dir, profiles, wants := corpus(t, name)
	stdout, stderr, status := advise(t, dir, profiles, "-json")
	if status != 0 {
		t.Fatal(stderr)
	}
	var r Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if name == "owners" && (r.Unowned.Bytes < 0.5 || len(r.Unowned.To) < 10 || !strings.HasPrefix(r.Summary[0], "No site can be pooled as it is, but ") ||
		!strings.Contains(r.Summary[1], " % is captured by a function literal; ")) {
		t.Errorf("%s: %v, %v", name, r.Summary, r.Unowned)
	}
	judged := 0
	for _, s := range r.Sites {
		places := append(s.Lines, fmt.Sprintf("%s:%d", base(s.File), s.Line))
		var w want
		for _, place := range places {
			if v, ok := wants[place]; ok {
				w = v
				judged++
			}
		}
		if name == "corpus" && w.where == "Write" && s.Escape != "w.Write(b) at line 20 (call parameter)" {
			t.Errorf("%s is on the heap because of %q", w.where, s.Escape)
		}
		if kept := s.Verdict == NeedsOwner && strings.HasPrefix(s.Calls, "bufio.New"); !kept && strings.HasSuffix(s.Reason, waits) {
			t.Errorf("%s: %s", w.where, s.Reason)
		}
		if s.Verdict == RuntimeFree && !strings.HasSuffix(s.Reason, "a released one ignores that setting.") {
			t.Errorf("%s: %s", w.where, s.Reason)
		}
		if s.Verdict != w.verdict || s.Patch != w.patch {
			t.Errorf("%s: %s, patch %v; want %s, %v\n\t%s", w.where, s.Verdict, s.Patch, w.verdict, w.patch, s.Reason)
		}
	}
	if judged != len(wants) || len(wants) == 0 {
		t.Errorf("%s: %d sites of %d", name, judged, len(wants))
	}
}

// TestToolchain has a slice that grows by single elements, which some toolchains free themselves.
func TestToolchain(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{"go.mod": "module a\n\ngo 1.25\n"})
	freed := freesOutgrown(t.Context(), dir)
	out := goIn(t, dir, "env", "GOEXPERIMENT") // of a toolchain that was built with one
	if freed != strings.Contains(string(out), "runtimefreegc") {
		t.Errorf("frees what append outgrows: %v, with the experiments %q", freed, out)
	}
	site := &Site{Function: "a.F", Sizes: []Size{{1024, 1 << 20, 1024}}, Bytes: 1 << 20, Objects: 1024, Samples: 100, Share: 1}
	for freed, want := range map[bool]Verdict{true: RuntimeFree, false: PoolIt} {
		site.judgeFound(new(Report), &allocation{kind: kindAppend, fate: new(fate), single: true, freed: func() bool { return freed }, instr: new(ssa.Call)})
		if site.Verdict != want {
			t.Errorf("freed %v: %s, want %s", freed, site.Verdict, want)
		}
	}
}

// TestFiltered has a slice that some rounds of a loop extend, and that the function returns: callers get a copy.
func TestFiltered(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{
		"go.mod": goMod(t, "a.example"),
		"p/p.go": "package p\n\nfunc F(values []int) []int {\n\tvar out []int\n\tfor _, v := range values {\n\t\tif v > 0 {\n\t\t\tout = append(out, v)\n" +
			"\t\t}\n\t}\n\treturn out\n}\n",
	})
	var sites []synthetic
	for _, size := range []uint64{1 << 12, 1 << 13} {
		sites = append(sites, synthetic{"", "a.example/p.F", "/src/a.example/p/p.go", 3, 7, 100_000, 100_000 * size, 0, 0})
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...), "-diff")
	if status != 0 || !strings.Contains(stdout, "\n+\treturn append([]int(nil), out...)\n") || strings.Contains(stdout, "slices.Grow") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestTestsAllocate has a profile with lines of tests, which are no reason to doubt the source.
func TestTestsAllocate(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{
		"go.mod":    goMod(t, "a.example"),
		"a.go":      "package a\n\nfunc F(n int) []byte {\n\treturn make([]byte, n)\n}\n",
		"a_test.go": "package a\n\nimport \"testing\"\n\nfunc BenchmarkF(b *testing.B) {\n\tkeep = make([]byte, 10)\n}\n\nvar keep []byte\n",
	})
	stdout, stderr, status := advise(t, dir, twoProfiles(t,
		synthetic{"", "a.example.F", "/src/a.example/a.go", 3, 4, 100_000, 100_000 << 12, 0, 0},
		synthetic{"", "a.example.BenchmarkF", "/src/a.example/a_test.go", 5, 6, 100_000, 100_000 << 12, 0, 0}))
	if status != 0 || strings.Contains(stdout, "does not fit") || !strings.Contains(stdout, "This is test code") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestWrite applies the patch to the corpus, which then builds, prints the same with all checks on,
// and has nothing for gofmt and basin vet.
func TestWrite(t *testing.T) {
	if os.Getenv("BASIN_TEST_LONG") != "1" {
		t.Skip("needs BASIN_TEST_LONG=1")
	}
	dir, profiles, _ := corpus(t, "corpus")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git: ", err)
	}
	git("init", "-q")
	if _, stderr, status := advise(t, dir, profiles, "-write"); status != 2 || !strings.Contains(stderr, "commit them") {
		t.Fatalf("in a tree that is not committed: exit status %d, %s", status, stderr)
	}
	git("add", ".")
	git("commit", "-qm", "x")
	diff, _, status := advise(t, dir, profiles, "-diff")
	if status != 0 || !strings.Contains(diff, "+++ b/yes.go\n") {
		t.Errorf("exit status %d, %s", status, diff)
	}
	if _, stderr, status := advise(t, dir, profiles, "-write"); status != 0 || !strings.Contains(stderr, "changed yes.go\n") {
		t.Fatalf("exit status %d, %s", status, stderr)
	}
	written, err := os.ReadFile(filepath.Join(dir, "yes.go"))
	if err != nil {
		t.Fatal(err)
	}
	git("checkout", "-q", ".")
	git("apply", write(t, []byte(diff)))
	if applied, err := os.ReadFile(filepath.Join(dir, "yes.go")); err != nil || !bytes.Equal(applied, written) {
		t.Error("-diff and -write differ")
	}
	if out, err := exec.Command("gofmt", "-l", dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %v %s", err, out)
	}
	t.Setenv("BASIN_CHECK", "full")
	goIn(t, dir, "test", "-count=1", ".")
	vet := filepath.Join(t.TempDir(), "vet.exe")
	goIn(t, "..", "build", "-o", vet, "./cmd/basin-vet")
	cmd := exec.Command(vet, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("basin vet: %v\n%s", err, out)
	}
}

// TestWriteGrowing applies the patch to the corpus of memory that grows, which then does the same with all checks on.
func TestWriteGrowing(t *testing.T) { testWrite(t, "growing") }

// TestWriteRounds does so with memory that the rounds of a loop make.
func TestWriteRounds(t *testing.T) { testWrite(t, "rounds") }

// TestWriteParts does so with memory within larger expressions, and with structs that keep parts of it.
func TestWriteParts(t *testing.T) { testWrite(t, "parts") }

// TestWriteJoined does so with memory that goroutines use whose end a function waits for.
func TestWriteJoined(t *testing.T) { testWrite(t, "joined") }

// TestWriteOlder does so in a module of an older language, with types that functions declare.
func TestWriteOlder(t *testing.T) { testWrite(t, "older") }

// TestWriteImages does so with images that functions make for themselves.
func TestWriteImages(t *testing.T) { testWrite(t, "images") }

// TestWriteShared does so with slices that function literals read.
func TestWriteShared(t *testing.T) { testWrite(t, "shared") }

// TestWriteAssembly does so with memory that functions in assembly get.
func TestWriteAssembly(t *testing.T) { testWrite(t, "assembly") }

// TestWriteGiven does so with readers and writers that may be given, and with encoders of images.
func TestWriteGiven(t *testing.T) { testWrite(t, "given") }

// TestWriteSealed does so with memory that methods get through interfaces.
func TestWriteSealed(t *testing.T) { testWrite(t, "sealed") }

// TestWriteDropped does so with slices that grow, and that callers drop.
func TestWriteDropped(t *testing.T) { testWrite(t, "dropped") }

// TestWriteBuffers does so with Buffers in fields and behind writers, and with those that must be real ones.
func TestWriteBuffers(t *testing.T) { testWrite(t, "buffers") }

// TestWriteExits does so with memory that leaves in one place.
func TestWriteExits(t *testing.T) { testWrite(t, "exits") }

// TestWriteFields does so with slices in fields of structs that do not leave their functions.
func TestWriteFields(t *testing.T) { testWrite(t, "fields") }

// TestWriteClones does so with copies of slices.
func TestWriteClones(t *testing.T) { testWrite(t, "clones") }

// TestWriteTables does so with maps and structs that do not leave their functions.
func TestWriteTables(t *testing.T) { testWrite(t, "tables") }

// TestWriteVisits does so with slices that grow in function literals and in the bodies of ranges over functions.
func TestWriteVisits(t *testing.T) { testWrite(t, "visits") }

// TestWritePrefixed does so with slices that append makes of two others.
func TestWritePrefixed(t *testing.T) { testWrite(t, "prefixed") }

// TestWriteFactories does so with structs that functions return to callers that are done with them.
func TestWriteFactories(t *testing.T) { testWrite(t, "factories") }

// TestWriteEncoders does so with slices in fields that grow, of structs that are encoders and the like.
func TestWriteEncoders(t *testing.T) { testWrite(t, "encoders") }

func testWrite(t *testing.T, name string) {
	t.Helper()
	dir, profiles, _ := corpus(t, name)
	goIn(t, dir, "test", "-count=1", ".")
	if _, stderr, status := advise(t, dir, profiles, "-write", "-force"); status != 0 {
		t.Fatalf("exit status %d, %s", status, stderr)
	}
	if out, err := exec.Command("gofmt", "-l", dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %v %s", err, out)
	}
	t.Setenv("BASIN_CHECK", "full")
	goIn(t, dir, "test", "-count=1", ".")
}

// TestWriteFails has patches that cannot be written, each with the reason.
func TestWriteFails(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a.example"), ".git": "gitdir: nowhere\n"})
	gone := &rewrite.File{Name: filepath.Join(dir, "gone.go"), Old: []byte("package a\n"), New: []byte("package b\n")}
	p := &patch{packages: []*rewrite.Package{{Dir: dir, Module: dir, Files: []*rewrite.File{gone}}}}
	var stderr bytes.Buffer
	for want, err := range map[string]error{
		"git status fails in " + dir:       isCommitted(t.Context(), dir),
		gone.Name + " cannot be written: ": p.write(t.Context(), dir, &stderr),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestWriteAfterBenchmarks has a benchmark that makes a file in the tree, which is no change of the user's.
func TestWriteAfterBenchmarks(t *testing.T) {
	needGo(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git: ", err)
	}
	dir := writeFiles(t, map[string]string{
		"go.mod": goMod(t, "a"),
		"a.go":   "package a\n\nimport \"io\"\n\nfunc Write(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n",
		"a_test.go": "package a\n\nimport (\n\t\"io\"\n\t\"os\"\n\t\"testing\"\n)\n\n" +
			"func BenchmarkWrite(b *testing.B) {\n\tos.WriteFile(\"made.txt\", nil, 0o600)\n\tfor i := range b.N {\n\t\tWrite(io.Discard, 40_000+i&4095)\n\t}\n}\n",
	})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if _, stderr, status := advise(t, dir, []string{"."}, "-bench", ".", "-write"); status != 0 || !strings.Contains(stderr, "changed a.go\n") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
	if _, stderr, status := advise(t, dir, []string{"."}, "-bench", ".", "-write"); status != 2 || !strings.Contains(stderr, "commit them") || strings.Contains(stderr, "Running") {
		t.Errorf("with changes: exit status %d, %s", status, stderr)
	}
}

// TestVerify tries the patch without writing it.
func TestVerify(t *testing.T) {
	if os.Getenv("BASIN_TEST_LONG") != "1" {
		t.Skip("needs BASIN_TEST_LONG=1")
	}
	dir, profiles, _ := corpus(t, "corpus")
	before, err := os.ReadFile(filepath.Join(dir, "yes.go"))
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := advise(t, dir, profiles, "-verify")
	if status != 0 || !regexp.MustCompile(`\| BenchmarkWrite\S* \| allocs/op \| 1 \| 0 \| -100 % \|`).MatchString(stdout) ||
		!strings.Contains(stdout, "* yes.go:19, Write: basin.GetZeroed and basin.Put") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "yes.go")); err != nil || !bytes.Equal(before, after) {
		t.Error("the file has changed", err)
	}
	broken := filepath.Join(dir, "broken_test.go")
	if err := os.WriteFile(broken, []byte("package corpus\n\nimport \"testing\"\n\nfunc TestBroken(t *testing.T) { t.Fatal(\"broken\") }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, status := advise(t, dir, profiles, "-verify"); status != 0 || !strings.Contains(stdout, "pass but for tests that fail without the patch too: TestBroken.") {
		t.Errorf("with a test that fails: exit status %d, %s%s", status, stdout, stderr)
	}
	differs := `package corpus

import (
	"os"
	"strings"
	"testing"
)

func TestUnchanged(t *testing.T) {
	if text, _ := os.ReadFile("/proc/self/exe"); strings.Contains(string(text), strings.Join([]string{"basin", "GetZeroed"}, ".")) {
		t.Fatal("this program has a pool")
	}
}
`
	if err := os.WriteFile(filepath.Join(dir, "differs_test.go"), []byte(differs), 0o600); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if _, stderr, status := advise(t, dir, profiles, "-verify"); status != 2 || !strings.Contains(stderr, "but TestUnchanged only with it") {
		t.Errorf("with a test that fails because of the patch: exit status %d, %s", status, stderr)
	}
}

// TestVerifyUntested has one package with tests and one without, then none with tests. Then go vet finds something in one, and
// at last there is another that does not build.
func TestVerifyUntested(t *testing.T) {
	if os.Getenv("BASIN_TEST_LONG") != "1" {
		t.Skip("needs BASIN_TEST_LONG=1")
	}
	needGo(t)
	const code = "import \"io\"\n\nfunc F(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n"
	dir := writeFiles(t, map[string]string{
		"go.mod":      goMod(t, "a.example"),
		"p/p.go":      "package p\n\n" + code,
		"p/p_test.go": "package p\n\nimport (\n\t\"io\"\n\t\"testing\"\n)\n\nfunc TestF(t *testing.T) { F(io.Discard, 10) }\n",
		"q/q.go":      "package q\n\n" + code,
	})
	var sites []synthetic
	for _, pkg := range []string{"p", "q"} {
		sites = append(sites, synthetic{"", "a.example/" + pkg + ".F", "/src/a.example/" + pkg + "/" + pkg + ".go", 5, 6, 100_000, 100_000 << 12, 0, 0})
	}
	profiles := twoProfiles(t, sites...)
	for _, want := range []string{"Package a.example/q has no tests.", "These packages have no tests: run the program with `BASIN_CHECK=full`."} {
		stdout, stderr, status := advise(t, dir, profiles, "-verify")
		if status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit status %d, %s%s lacks %q", status, stdout, stderr, want)
		}
		if err := os.RemoveAll(filepath.Join(dir, "p", "p_test.go")); err != nil {
			t.Fatal(err)
		}
	}
	unvetted := "package q\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestF(t *testing.T) { fmt.Printf(\"%d\\n\", \"\") }\n"
	if err := os.WriteFile(filepath.Join(dir, "q", "q_test.go"), []byte(unvetted), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := advise(t, dir, profiles, "-verify")
	if status != 0 || !strings.Contains(stdout, "pass.\nPackage a.example/p has no tests.\n`go vet` fails, without the patch too.\n") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
	if err := os.Mkdir(filepath.Join(dir, "r"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "r", "r.go"), []byte("package r\n\nvar x undefined\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status = advise(t, dir, profiles, "-verify")
	if status != 0 || !strings.Contains(stdout, "`go build ./...` fails, without the patch too.\n") || !strings.Contains(stdout, "`go build a.example/p a.example/q` and") {
		t.Errorf("with a package that does not build: exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestVerifyBench takes the profiles of a benchmark, and measures only the benchmarks of that name.
func TestVerifyBench(t *testing.T) {
	if os.Getenv("BASIN_TEST_LONG") != "1" {
		t.Skip("needs BASIN_TEST_LONG=1")
	}
	dir, _, _ := corpus(t, "corpus")
	other := "package corpus\n\nimport \"testing\"\n\nfunc BenchmarkOther(b *testing.B) { b.Fatal(\"runs\") }\n"
	if err := os.WriteFile(filepath.Join(dir, "other_test.go"), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := advise(t, dir, []string{"."}, "-bench", "Write", "-verify")
	if status != 0 || !regexp.MustCompile(`\| BenchmarkWrite\S* \| allocs/op \| 1 \| 0 \| -100 % \|`).MatchString(stdout) ||
		!strings.Contains(stdout, "* yes.go:19, Write: basin.GetZeroed and basin.Put") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestVerifyOfAnother has a benchmark in another package than the site, and benchmarks that fail without the patch, or with it.
func TestVerifyOfAnother(t *testing.T) {
	if os.Getenv("BASIN_TEST_LONG") != "1" {
		t.Skip("needs BASIN_TEST_LONG=1")
	}
	needGo(t)
	const (
		panics = "package p\n\nimport \"testing\"\n\nfunc BenchmarkPanics(b *testing.B) { panic(b.Name()) }\n"
		exact  = `package p

import (
	"io"
	"testing"
)

func TestExact(t *testing.T) {
	t.Log("before")
	if n := testing.AllocsPerRun(10, func() { F(io.Discard, 10) }); n != 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestLast(t *testing.T) {
	for i := range 1000 {
		t.Log(i, "is a long line")
	}
}
`
	)
	dir := writeFiles(t, map[string]string{
		"go.mod":      goMod(t, "a.example"),
		"p/p.go":      "package p\n\nimport \"io\"\n\nfunc F(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n",
		"p/p_test.go": panics,
		"q/q_test.go": "package q\n\nimport (\n\t\"io\"\n\t\"testing\"\n\n\t\"a.example/p\"\n)\n\nfunc BenchmarkF(b *testing.B) {\n\tfor b.Loop() {\n\t\tp.F(io.Discard, 10000)\n\t}\n}\n",
	})
	stdout, stderr, status := advise(t, dir, []string{"./q"}, "-bench", ".", "-verify")
	if status != 0 || !regexp.MustCompile(`\| BenchmarkF\S* \| allocs/op \| 1 \| 0 \| -100 % \|`).MatchString(stdout) ||
		!strings.Contains(stdout, "The benchmarks of a.example/p fail without the patch too, so they are not measured.") {
		t.Errorf("exit status %d, %s%s", status, stdout, stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "p", "p_test.go"), []byte(exact), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status = advise(t, dir, []string{"./q"}, "-bench", ".", "-verify")
	if status != 2 || !strings.Contains(stderr, "=== RUN   TestExact") || !strings.Contains(stderr, "allocations") || strings.Contains(stderr, "a long line") {
		t.Errorf("with a test of allocations: exit status %d, %s%s", status, stdout, stderr)
	}
}

// TestPage writes the page, in which names from a profile are text.
func TestPage(t *testing.T) {
	evil := buffers
	evil.name, evil.line = "example.com/a.F<script>alert(1)", evil.line+1
	file := filepath.Join(t.TempDir(), "page.html")
	if _, stderr, status := command(t, "-html", file, heapProfile(t, 100, "a", buffers, evil)); status != 0 {
		t.Fatal(stderr)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"One profile has no rates", "&lt;script&gt;", "io.ReadAll", "4.0 KiB"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if bytes.Contains(page, []byte("<script")) || bytes.Contains(page, []byte("http://")) || bytes.Contains(page, []byte("https://")) {
		t.Error("the page runs or loads something")
	}
}

// TestRequire applies a patch to modules that do not require basin: one that can get it, and one that cannot.
func TestRequire(t *testing.T) {
	needGo(t)
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod "+os.Getenv("GOFLAGS"))
	const code = "package a\n\nimport \"io\"\n\nfunc F(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n"
	profiles := twoProfiles(t, synthetic{"", "a.F", "/src/a/a.go", 5, 6, 100_000, 100_000 << 12, 0, 0})
	const mod = "module a\n\ngo 1.25.0\n"
	replaced := map[string]string{"go.mod": mod + "\nreplace " + replacement(t) + "\n", "a.go": code}
	diff, stderr, status := advise(t, writeFiles(t, replaced), profiles, "-diff")
	if status != 0 || !strings.Contains(diff, "+++ b/go.mod\n") || !strings.Contains(diff, "\n+require github.com/basin-go/basin ") {
		t.Errorf("exit status %d, the patch has no go.mod: %s%s", status, diff, stderr)
	}
	dir := writeFiles(t, replaced)
	if _, stderr, status := advise(t, dir, profiles, "-write"); status != 0 || !strings.Contains(stderr, "go.mod requires github.com/basin-go/basin now\nchanged a.go\n") {
		t.Errorf("with basin: exit status %d, %s", status, stderr)
	}
	goIn(t, dir, "vet", "-mod=readonly", ".")
	without := map[string]string{"go.mod": mod, "a.go": code}
	dir = writeFiles(t, without)
	stdout, stderr, status := advise(t, dir, profiles, "-write")
	if status != 0 || !strings.Contains(joined(stdout), "There is no patch: the module does not require basin.") {
		t.Errorf("without basin: exit status %d, %s", status, stdout)
	}
	_, add, _ := strings.Cut(stdout, "\n\tgo mod edit ") // a line that can be pasted
	add, _, _ = strings.Cut(add, "\n")
	root, _ := filepath.Abs("../..")
	added := writeFiles(t, without)
	for _, arg := range strings.Fields(strings.Replace(add, "=../basin", "="+filepath.ToSlash(root), 1)) {
		goIn(t, added, "mod", "edit", arg)
	}
	if diff, stderr, status := advise(t, added, profiles, "-diff"); status != 0 || !strings.Contains(diff, "+++ b/a.go\n") {
		t.Errorf("after go mod edit %s: exit status %d, %s%s", add, status, diff, stderr)
	}
	if stderr != "No site has a patch, so nothing is changed.\n" {
		t.Errorf("without basin: %s", stderr)
	}
	for name, want := range without {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s has changed: %v\n%s", name, err, got)
		}
	}
}

// TestReordered judges a package whose initialization would come later if it imported basin, which somebody may notice.
func TestReordered(t *testing.T) {
	needGo(t)
	dir := writeFiles(t, map[string]string{
		"go.mod":    goMod(t, "a.example"),
		"main.go":   "package main\n\nimport (\n\t\"os\"\n\n\t\"a.example/p\"\n\t_ \"a.example/q\"\n)\n\nfunc main() { p.F(os.Stdout, 10) }\n",
		"p/p.go":    "package p\n\nimport \"io\"\n\nfunc init() { println(\"p\") }\n\nfunc F(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n",
		"q/init.go": "package q\n\nimport \"io\"\n\nfunc init() { println(io.EOF) }\n",
	})
	site := synthetic{"", "a.example/p.F", "/src/a.example/p/p.go", 7, 8, 100_000, 100_000 << 12, 0, 0}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, site))
	const want = "There is no patch: with the import of basin, Go would initialize package a.example/p after others that it now precedes,"
	if status != 0 || !strings.Contains(joined(stdout), want) {
		t.Errorf("exit status %d, %s%s lacks %q", status, stderr, stdout, want)
	}
}

// TestReasons looks at the sentences for a package whose path has a dot in its last element. Profiles escape this
// dot.
func TestReasons(t *testing.T) {
	needGo(t)
	const code = `package yaml

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"strings"
)

type stack[T any] struct{ items []T }

func (s *stack[T]) push(v T) { s.items = append(s.items, v) }

func Pushed(s *stack[[]byte], n int) {
	b := make([]byte, n) // The memory leaves Pushed: it is passed to (*yaml.stack).push, where it is stored in an element of field stack.items.
	s.push(b)
}

func Lines(text string) (out [][]byte) {
	for line := range strings.SplitSeq(text, "x") {
		out = append(out, []byte(line)) // The memory leaves Lines: it is returned from yaml.Lines.
	}
	return out
}

func Later(r io.Reader, w io.Writer) error {
	z, err := gzip.NewReader(r) // the next statement does not end the function after an error, and the Reader of a pool is never nil.
	if err == nil {
		_, err = io.Copy(w, z)
	}
	return err
}

func Split(b []byte) int {
	return len(bytes.Split(b, []byte("x"))) // bytes.Split, or a function that it calls, makes this memory, and has no argument for it.
}

func Sent(c net.Conn, n int) bool {
	return n > 0 && len(fmt.Sprint(c.Write(make([]byte, n)))) > 0 // There is no patch: it is a part of a larger expression, which may not evaluate it, or not first: give it a variable.
}
`
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "gopkg.example/yaml.v3"), "yaml.go": code})
	std := map[string]string{"Later": "compress/gzip.NewReader", "Split": "bytes.Split"}
	var sites []synthetic
	var want []string
	fn, start, n := "", 0, 0
	for line := range strings.Lines(code) {
		n++
		if rest, ok := strings.CutPrefix(line, "func "); ok {
			fn, _, _ = strings.Cut(rest, "(")
			start = n
		}
		if _, reason, ok := strings.Cut(line, " // "); ok {
			want = append(want, strings.TrimSpace(reason))
			name := "gopkg.example/yaml%2ev3." + fn
			if fn == "Lines" {
				name += "-range1"
			}
			sites = append(sites, synthetic{std[fn], name, "/src/gopkg.example/yaml.v3/yaml.go", uint64(start), uint64(n), 100_000, 100_000 << 12, 0, 0})
		}
	}
	stdout, stderr, status := advise(t, dir, twoProfiles(t, sites...))
	if status != 0 {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	printed := joined(stdout)
	for _, reason := range want {
		if !strings.Contains(printed, reason) {
			t.Errorf("the report lacks %q", reason)
		}
	}
	if t.Failed() {
		t.Log(printed)
	}
}

// TestOtherVersion has profiles that the source does not fit, each with a sentence that says so.
func TestOtherVersion(t *testing.T) {
	needGo(t)
	t.Setenv("GOPROXY", "off")
	dir := writeFiles(t, map[string]string{
		"go.mod": "module a.example\n\ngo 1.25.0\n",
		"a.go":   "package a\n\nimport \"io\"\n\nfunc F(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n\nfunc G() {}\n",
	})
	whole := synthetic{"", "a%2eexample.F", "/src/a.example/a.go", 5, 6, 100_000, 100_000 << 12, 0, 0}
	for want, change := range map[string]func(s *synthetic){
		"line 900 of a.go is in no function, " + stale + ".":                             func(s *synthetic) { s.line = 900 },
		"line 10 of a.go is in G, not in F, " + stale + ".":                              func(s *synthetic) { s.line = 10 },
		"F begins at line 5, and at line 4 in the profile, " + stale + ".":               func(s *synthetic) { s.start = 4 },
		"b.go is not among the files of package a.example, " + stale + ".":               func(s *synthetic) { s.file = "/src/a.example/b.go" },
		"The profile does not say how this line allocates, and it is in another module.": func(s *synthetic) { s.name, s.file = "b%2eexample.F", "/src/b.example/a.go" },
		"which slows it: its rates are lower than without.":                              nil,
		"no Go module with packages; run this in the program's module, or name that":     nil,
	} {
		site, of := whole, dir
		var profiles []string
		switch {
		case change != nil:
			change(&site)
			sites := []synthetic{site}
			if site.file != whole.file { // the module has a line that fits
				sites = append(sites, whole)
			}
			profiles = twoProfiles(t, sites...)
		case strings.HasPrefix(want, "no Go"):
			of = t.TempDir()
			profiles = append(profiles, heapProfile(t, 100, "a", site))
		default:
			profiles = append(profiles, heapProfileAt(t, 100, "a", 1, site))
		}
		stdout, stderr, status := advise(t, of, profiles)
		if status != 0 || !strings.Contains(joined(stdout), want) {
			t.Errorf("exit status %d, %s%s\nlacks %q", status, stderr, stdout, want)
		}
		const advice = "The source does not fit the profile at 1 site ("
		if strings.Contains(joined(stdout), advice) != strings.Contains(want, stale) {
			t.Errorf("%s: %s", want, stdout)
		}
	}
}

// TestBroken has a module that does not compile, and one that the go command cannot read.
func TestBroken(t *testing.T) {
	needGo(t)
	profiles := []string{heapProfile(t, 100, "a", synthetic{"", "a.F", "/src/a/a.go", 3, 3, 100_000, 100_000 << 12, 0, 0})}
	for want, files := range map[string]map[string]string{
		"a does not compile here (a.go:3:23: undefined: n); mend that, or check out the version of the profile.": {
			"go.mod": "module a\n\ngo 1.25.0\n", "a.go": "package a\n\nfunc F() int { return n }\n"},
		"usage: module module/path); run this in the program's module, or name that with -source.": {"go.mod": "module\n"},
	} {
		if stdout, stderr, status := advise(t, writeFiles(t, files), profiles); status != 0 || !strings.Contains(joined(stdout), want) {
			t.Errorf("exit status %d, %s%s\nlacks %q", status, stderr, stdout, want)
		}
	}
}

// TestOneLineImports has imports that the patch does not change.
func TestOneLineImports(t *testing.T) {
	needGo(t)
	const code = "package a\n\nimport (\"io\")\n\nfunc F(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n"
	dir := writeFiles(t, map[string]string{"go.mod": goMod(t, "a"), "a.go": code})
	stdout, stderr, status := advise(t, dir, twoProfiles(t, synthetic{"", "a.F", "/src/a/a.go", 5, 6, 100_000, 100_000 << 12, 0, 0}))
	if status != 0 || !strings.Contains(joined(stdout), "There is no patch: the imports of its file") {
		t.Errorf("exit status %d, %s%s", status, stderr, stdout)
	}
}

// TestWorkspace has a line of another module of the workspace, which must not be changed.
func TestWorkspace(t *testing.T) {
	needGo(t)
	const code = "import \"io\"\n\nfunc F(w io.Writer, n int) {\n\tb := make([]byte, n)\n\tw.Write(b)\n}\n"
	files := map[string]string{
		"go.work":     "go 1.25.0\n\nuse (\n\t./main\n\t./beside\n)\n",
		"main/go.mod": goMod(t, "main.example"), "main/a.go": "package a\n\n" + strings.Replace(code, "import \"io\"", "import (\n\t\"io\"\n\n\t\"beside.example\"\n)\n\nvar G = beside.F", 1),
		"beside/go.mod": goMod(t, "beside.example"), "beside/b.go": "package beside\n\n" + code,
	}
	dir := writeFiles(t, files)
	t.Setenv("GOWORK", filepath.Join(dir, "go.work"))
	ours := synthetic{"", "main%2eexample.F", "/src/main/a.go", 11, 12, 100_000, 100_000 << 12, 0, 0}
	theirs := synthetic{"", "beside%2eexample.F", "/src/beside/b.go", 5, 6, 100_000, 100_000 << 12, 0, 0}
	stdout, stderr, status := advise(t, filepath.Join(dir, "main"), twoProfiles(t, ours, theirs), "-write")
	if status != 0 || !strings.Contains(stderr, "changed a.go\n") || strings.Contains(stderr, "beside") {
		t.Errorf("exit status %d: %s%s", status, stderr, stdout)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "beside/b.go")); err != nil || string(got) != files["beside/b.go"] {
		t.Errorf("a file outside the module is changed: %v\n%s", err, got)
	}
}

// TestWriteKeepers does so for callers that keep copies of memory.
func TestWriteKeepers(t *testing.T) { testWrite(t, "keepers") }
