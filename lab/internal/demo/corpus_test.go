package demo

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestReadCorpus(t *testing.T) {
	dir := corpusOf(t, map[string]string{"a": "1", "b/c": "23", "b/empty": "", "secret": "x", "closed/d": "x"})
	want := map[string]string{"a": "1", "b/c": "23", "b/empty": ""}
	if err := os.Chmod(filepath.Join(dir, "secret"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(dir, "closed"), 0o755)
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		// This user or system can read all files.
		want["secret"], want["closed/d"] = "x", "x"
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Log(err)
	}

	files, err := readCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if content, ok := want[f.name]; !ok || content != string(f.content) {
			t.Errorf("read %q with content %q", f.name, f.content)
		}
		delete(want, f.name)
	}
	if len(want) > 0 {
		t.Errorf("did not read %v", want)
	}
}
