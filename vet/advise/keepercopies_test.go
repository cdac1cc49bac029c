package advise

import (
	"strings"
	"testing"
)

// TestKeeperCopies has a function whose memory one caller keeps. Only if that caller has few of the bytes, it gets a copy.
func TestKeeperCopies(t *testing.T) {
	needGo(t)
	const program = `package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

//go:noinline
func filled(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

//go:noinline
func sum(n int) (s int) {
	b := filled(n)
	for _, x := range b {
		s += int(x)
	}
	return s
}

var kept []byte

//go:noinline
func keep(n int) {
	b := filled(n)
	kept = b
}

func main() {
	runtime.MemProfileRate = 1
	for _, name := range os.Args[1:] {
		for i := range 300 {
			sum(4096)
			if i%RARE == 0 {
				keep(4096)
			}
		}
		runtime.GC()
		f, _ := os.Create(name)
		pprof.Lookup("allocs").WriteTo(f, 0)
		f.Close()
		time.Sleep(time.Second)
	}
}
`
	for rare, want := range map[string]string{
		"10": "pool it; filled returns the memory, which most of its callers could put back, and a copy could take its place in main.keep at main.go:32.",
		"1":  "needs an owner; The memory leaves filled: it is returned from main.filled",
	} {
		checkSites(t, profiled(t, map[string]string{"main.go": strings.ReplaceAll(program, "RARE", rare)}), "filled", want)
	}
}
