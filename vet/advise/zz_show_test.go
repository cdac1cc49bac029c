package advise

import (
	"os"
	"testing"
)

func TestZZShow(t *testing.T) {
	dir, profiles, _ := corpus(t, os.Getenv("ZZ"))
	stdout, stderr, _ := advise(t, dir, profiles, "-diff", "-top", "0")
	t.Log(stdout)
	if os.Getenv("ZZV") != "" {
		t.Log(stderr)
	}
}
