package advise

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"

	"github.com/basin-go/basin/vet/internal/rewrite"
)

// outgrows appends single bytes, which a toolchain built with GOEXPERIMENT=runtimefreegc compiles to calls that free the
// outgrown arrays. A released toolchain ignores the setting, so neither its version nor its environment tells.
const outgrows = `package p

func Sum(n int) (sum byte) {
	var b []byte
	for i := range n {
		b = append(b, byte(i))
	}
	for _, c := range b {
		sum += c
	}
	return sum
}
`

// frees matches the functions of the runtime that free outgrown arrays.
var frees = regexp.MustCompile(`runtime\.growslice\w*NoAlias`)

// freesOutgrown reports whether the go command of a directory compiles programs that free the arrays that append
// outgrows.
func freesOutgrown(ctx context.Context, dir string) bool {
	tmp, err := os.MkdirTemp("", "basin-advise-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(tmp)
	name := filepath.Join(tmp, "p.go")
	if err := os.WriteFile(name, []byte(outgrows), 0o600); err != nil {
		return false
	}
	cmd := rewrite.Command(ctx, "go", "build", "-gcflags=-S", "-o", os.DevNull, name)
	var out bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &out
	return cmd.Run() == nil && frees.Match(out.Bytes())
}
