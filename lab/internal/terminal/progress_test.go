package terminal

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "progress"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := NewProgress(file)
	p.Step(0, 0, "begin")
	p.Step(0.5, 20400*time.Millisecond, "half")
	p.Finish()
	got, err := os.ReadFile(file.Name())
	if want := "begin\nhalf, 20s left\n"; err != nil || string(got) != want {
		t.Errorf("%q, error %v, want %q", got, err, want)
	}
}
