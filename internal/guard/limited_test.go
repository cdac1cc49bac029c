//go:build go1.25 && linux

package guard

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestLimitedAddressSpace: a process with little address space has guarded arrays in a part of it. Then Alloc
// returns nil, and Go's heap still grows.
func TestLimitedAddressSpace(t *testing.T) {
	const variable = "BASIN_TEST_ADDRESS_SPACE"
	if os.Getenv(variable) == "" {
		run := exec.Command(os.Args[0], "-test.run=^TestLimitedAddressSpace$", "-test.v")
		run.Env = append(os.Environ(), variable+"=1")
		out, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	const space = 3 << 30 / (2 - on64) // the race detector alone reserves terabytes
	used := addressSpaceInUse(t)
	limit := syscall.Rlimit{Cur: uint64(used + space), Max: uint64(used + space)}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Skip(err)
	}
	SetLimit(1 << 30)
	n := 0
	for ; n < 1<<20; n++ { // fresh slots of many classes
		b, _ := Alloc(1+n%1000*pageSize, nil)
		if b == nil {
			break
		}
		b[0] = 1
	}
	if n < 10 {
		t.Errorf("%d arrays", n)
	}
	if after := addressSpaceInUse(t); after-used > space/spaceShare*2+used/spaceShare {
		t.Errorf("%d bytes of address space are taken, of %d", after-used, int64(space))
	}
	var heap [][]byte
	for range 64 {
		heap = append(heap, make([]byte, 1<<20))
	}
	for _, b := range heap {
		clear(b)
	}
	// Nor does a refusal of the kernel panic.
	limit.Cur = uint64(addressSpaceInUse(t))
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	if b := reserve(1 << 30); b != nil {
		t.Error("the kernel refuses nothing")
	}
	Alloc(123*pageSize, nil)
}

// addressSpaceInUse returns the bytes of address space of the process.
func addressSpaceInUse(t *testing.T) int64 {
	stat, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var pages int64
	for _, c := range stat {
		if c < '0' || c > '9' {
			break
		}
		pages = pages*10 + int64(c-'0')
	}
	return pages * int64(pageSize)
}
