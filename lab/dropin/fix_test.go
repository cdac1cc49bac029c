package dropin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// TestFix runs go fix on a program with bytebuf in place of the original, and compiles the
// result.
func TestFix(t *testing.T) {
	testenv.Tree()
	if !pooltest.Long() {
		t.Skip("compiles a module")
	}
	if output, err := exec.Command("go", "tool", "fix", "help").CombinedOutput(); err != nil || !strings.Contains(string(output), "inline") {
		t.Skip("this go fix does not inline")
	}
	compat, err := filepath.Abs("../../compat/bytebuf")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	user{
		replace: map[string]string{"github.com/intel-go/bytebuf": compat},
		require: []string{"github.com/intel-go/bytebuf v0.0.0"},
		like:    module{GoMod: os.DevNull},
	}.write(t, folder)
	program := filepath.Join(folder, "main.go")
	if err := os.WriteFile(program, []byte(`package main

import "github.com/intel-go/bytebuf"

type message struct{ body *bytebuf.Buffer }

func main() {
	b := bytebuf.New()
	b.WriteString("a")
	b.Grow(bytebuf.MinRead)
	m := message{bytebuf.NewBufferString(b.String())}
	println(m.body.String(), bytebuf.NewBuffer(nil).Len())
}
`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"fix", "-mod=mod", "./..."}, {"mod", "tidy"}, {"build", "-o", os.DevNull, "."}} {
		c := exec.Command("go", arguments...)
		c.Dir = folder
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
		if output, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", arguments, err, output)
		}
	}
	fixed, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(fixed), "bytebuf") {
		t.Errorf("bytebuf is still there:\n%s", fixed)
	}
}
