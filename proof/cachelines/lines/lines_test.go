//go:build go1.25

package lines

import (
	"testing"
	"unsafe"
)

// memory is on the heap, in two lines.
var memory = func() *[16]uint64 {
	m := new([24]uint64)
	return (*[16]uint64)(m[(-uintptr(unsafe.Pointer(m))&63)/8:])
}()

// TestTransfers: each step counts as many transfers as a machine with such caches makes.
func TestTransfers(t *testing.T) {
	Start(6)
	defer Stop()
	for i, step := range []struct {
		p, word int
		write   bool
		want    int
	}{
		{0, 0, false, 0}, // from memory
		{1, 0, false, 0}, // both have it
		{0, 7, true, 1},  // P 1 loses the line, though it read another word
		{0, 0, true, 0},
		{2, 8, true, 0},  // the next line
		{1, 1, false, 1}, // P 0 has modified it
		{0, 1, false, 0},
		{1, 1, true, 1},
		{0, 2, false, 1}, // P 1 has modified it
		{2, 2, false, 0}, // P 2 never had it
		{2, 2, true, 1},
		{0, 2, false, 1}, // P 2 has modified it
		{1, 2, false, 1}, // unmodified by now, but P 1 had lost it
		{1, 9, false, 1},
	} {
		P = step.p
		ResetCounts()
		if step.write {
			W(&memory[step.word])
		} else {
			R(&memory[step.word])
		}
		if c := Counted(); c.Transfers != step.want || c.Accesses != 1 {
			t.Errorf("step %d, %+v: %d transfers, %d accesses", i, step, c.Transfers, c.Accesses)
		}
	}
	P = 0
	ResetCounts()
	if Clear(memory[:]); Counted().Transfers != 2 {
		t.Errorf("%d transfers when both lines are cleared, want 2", Counted().Transfers)
	}
}

// TestStack: accesses of the simulation's own stack do not count.
func TestStack(t *testing.T) {
	Run(func() {
		Start(6)
		defer Stop()
		var local [8]int
		W(&local[3])
		if c := Counted(); c.Accesses != 0 {
			t.Errorf("%d accesses of the stack", c.Accesses)
		}
		if W(&memory[0]); Counted().Accesses != 1 {
			t.Error("no access of the heap")
		}
	})
}
