package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestMigrate runs the command; package vet tests its results.
func TestMigrate(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	const pool = `package p

import "sync"

var pool = sync.Pool{New: func() any { return make([]byte, 100) }}

func F() { pool.Put(pool.Get().([]byte)) }
`
	for _, tt := range []struct {
		name           string
		args           string
		stdout, stderr string
		status         int
	}{
		{"-diff", "-diff ./...", "\n+var pool = basin.Pool[[]byte]{\n", "p.go:5:5: pool becomes a basin.Pool[[]byte]\n", 1},
		{"changes", "./...", "p.go:5:5: pool becomes a basin.Pool[[]byte]\n", "", 0},
		{"-h", "-h", "basin migrate [options] [packages]", "", 0},
		{"no such flag", "-brew", "", "basin migrate: flag provided but not defined: -brew; basin migrate -help lists the flags\n", exitUsage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, run := inModule(t, module(t, map[string]string{"p.go": pool}), append([]string{"migrate"}, strings.Fields(tt.args)...)...)
			stdout, stderr, status := run()
			if status != tt.status || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit status %d, printed\n%s\nand\n%s\nwant %d, %q and %q", status, stdout, stderr, tt.status, tt.stdout, tt.stderr)
			}
		})
	}
}
