package same

import (
	_ "embed"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestJoin(t *testing.T) {
	if got := join("a", "b"); got != "ab" {
		t.Error(got)
	}
}

func TestFails(t *testing.T) { t.Error("before and after: ", join("a", "b")) }

func TestPanics(t *testing.T) { panic(join("before and ", "after")) }

func TestAfterPanic(t *testing.T) {
	if got := join("a", ""); got != "a" {
		t.Error(got)
	}
}

func TestAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { join("", "") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

//go:embed same.go
var source string

// TestSource finds the source that it was compiled from, and writes beside it.
func TestSource(t *testing.T) {
	data, err := os.ReadFile("same.go")
	if err != nil || string(data) != source {
		t.Error("another source, ", err)
	}
	if err := os.WriteFile("same.go.copy", data, 0o666); err != nil {
		t.Error(err)
	}
}

// uses counts the runs of a test, in a file of a folder that the environment names.
func uses(t *testing.T) int {
	file := filepath.Join(os.Getenv("RUNS"), t.Name())
	was, _ := os.ReadFile(file)
	if err := os.WriteFile(file, append(was, '.'), 0o666); err != nil {
		t.Skip(err)
	}
	return len(was) + 1
}

// TestOnce fails once, after the change.
func TestOnce(t *testing.T) {
	if uses(t) == 3 {
		t.Error("once")
	}
}

// TestRandom fails twice, once of these before the change.
func TestRandom(t *testing.T) {
	if n := uses(t); n == 3 || n == 5 {
		t.Error("twice")
	}
}

// TestCollected needs collections.
func TestCollected(t *testing.T) {
	done := make(chan bool)
	runtime.AddCleanup(new([64]byte), func(int) { close(done) }, 0)
	for range 200 {
		garbage = make([]byte, 1<<20)
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
		}
	}
	t.Error("nothing was collected")
}

var garbage []byte
