package vet

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// checkModule copies the module of testdata/check, and has it be the working directory.
func checkModule(t *testing.T) (files map[string]string) {
	t.Helper()
	needGo(t)
	if testing.Short() {
		t.Skip("runs tests of packages many times")
	}
	files = readTree(t, filepath.Join("testdata", "check"))
	t.Chdir(withBasin(t, module(t, files)))
	t.Setenv("RUNS", t.TempDir())
	return readTree(t, ".")
}

func readTree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestMigrateCheck has packages whose tests differ, which stay as they are, and others.
func TestMigrateCheck(t *testing.T) {
	table, err := filepath.Abs(filepath.Join("testdata", "checked.txt"))
	if err != nil {
		t.Fatal(err)
	}
	was := checkModule(t)
	var stdout, stderr bytes.Buffer
	if code := runMigrate(t.Context(), []string{"-check", "./..."}, &stdout, &stderr); code != 1 || stderr.Len() > 0 {
		t.Errorf("exit code %d, printed\n%s", code, &stderr)
	}
	want, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(stdout.String(), "| package")
	if pad("| package"+got) != pad(string(want)) {
		t.Errorf("printed\n%s\nwant\n%s", &stdout, want)
	}
	for _, want := range []string{"pool stays a sync.Pool: its tests differ: TestEmptied: differs_test.go:15: ",
		"pool stays a sync.Pool: its tests differ: TestCloseTwice: double Put of pool twice.pool, ", "pool becomes a basin.BufferPool"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("printed\n%s\nwant %s", &stdout, want)
		}
	}
	is := readTree(t, ".")
	if len(is) != len(was) {
		t.Errorf("%d files, and %d before", len(is), len(was))
	}
	for name, text := range is {
		if changed := text != was[name]; changed != (name == "same/same.go" || name == "none/none.go" || name == "used/used.go") {
			t.Errorf("%s is changed: %v", name, changed)
		}
	}
}

// pad makes tables equal that differ in the widths of columns.
func pad(table string) string {
	var lines []string
	for line := range strings.Lines(table) {
		lines = append(lines, strings.Join(strings.Fields(strings.ReplaceAll(line, "-", "")), " "))
	}
	return strings.Join(lines, "\n")
}

// TestMigrateCheckInterrupted ends a run while tests run. The source is as it was.
func TestMigrateCheckInterrupted(t *testing.T) {
	was := checkModule(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if ran, _ := filepath.Glob(filepath.Join(os.Getenv("RUNS"), "*")); len(ran) > 0 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var stdout, stderr bytes.Buffer
	if code := runMigrate(ctx, []string{"-check", "./..."}, &stdout, &stderr); code != Interrupted || stdout.Len() > 0 {
		t.Errorf("exit code %d, printed\n%s\nand\n%s", code, &stdout, &stderr)
	}
	for name, text := range readTree(t, ".") {
		if text != was[name] {
			t.Errorf("%s is changed", name)
		}
	}
}

// TestOldLine has lines above, in and below edits.
func TestOldLine(t *testing.T) {
	f := rewrite.File{Old: []byte("a\nb\nc\nd\n"), New: []byte("new\na\nB\nB2\nc\n")}
	for line, want := range map[int]int{1: 1, 2: 1, 3: 2, 4: 2, 5: 3} {
		if got := f.OldLine(line); got != want {
			t.Errorf("line %d was %d, not %d", line, want, got)
		}
	}
}
