package basin

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/basin-go/basin/internal/check"
)

// A MisuseKind says what was done wrong.
type MisuseKind uint8

const (
	// DoublePut: what had been put back already was put back again.
	DoublePut = MisuseKind(check.DoublePut)

	// WriteAfterPut: the memory was written to after it had been put back. Who did that
	// is not known, but who put it, and the first byte that has changed.
	WriteAfterPut = MisuseKind(check.WriteAfterPut)

	// ForeignPut: a slice was put back that no pool has handed out.
	ForeignPut = MisuseKind(check.ForeignPut)

	// InteriorPut: a slice was put back that begins inside of what a pool has handed
	// out, such as b[4:]. It cannot be recycled.
	InteriorPut = MisuseKind(check.InteriorPut)

	// ReslicedPut: a slice was put back with another capacity than it was handed out
	// with, such as b[:n:n]. It cannot be recycled.
	ReslicedPut = MisuseKind(check.ReslicedPut)

	// WrongPool: a slice was put into another pool than it is from.
	WrongPool = MisuseKind(check.WrongPool)

	// UseAfterRelease: a Buffer, a Shared or the like was used after it had been given
	// back.
	UseAfterRelease = MisuseKind(check.UseAfterRelease)

	// Leak: the collector found something that was never put back. That is
	// allowed, and costs its reuse.
	Leak = MisuseKind(check.Leak)
)

// String returns the kind in words.
func (k MisuseKind) String() string {
	switch k {
	case DoublePut:
		return "double Put"
	case WriteAfterPut:
		return "write after Put"
	case ForeignPut:
		return "foreign Put"
	case InteriorPut:
		return "interior Put"
	case ReslicedPut:
		return "re-sliced Put"
	case WrongPool:
		return "Put into another pool"
	case UseAfterRelease:
		return "use after release"
	case Leak:
		return "leak"
	}
	return fmt.Sprintf("MisuseKind(%d)", uint8(k))
}

// A Misuse is one misuse of a pool. It is an error, and what CheckFull panics with.
type Misuse struct {
	Kind MisuseKind
	Pool string // the name of the pool; of a WrongPool, of that which it is from

	Size   int // of the whole memory in bytes; of a ForeignPut, the capacity
	Offset int // of a WriteAfterPut, the first byte that has changed; of an InteriorPut, the begin; of a ReslicedPut, the capacity

	Acquired Stack // when it was handed out; nil of a ForeignPut
	FirstPut Stack // when it was put back, or nil
	Here     Stack // the offending call, or nil if the collector or Verify found it

	Count uint64 // how often there has been misuse of this kind with this acquisition site, this included
}

// Error returns the whole report, of several lines.
func (m *Misuse) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "basin: %v: %d bytes", m.Kind, m.Size)
	switch m.Kind {
	case WriteAfterPut:
		fmt.Fprintf(&s, ", the first that has changed at offset %d,", m.Offset)
	case InteriorPut:
		fmt.Fprintf(&s, ", put from offset %d on,", m.Offset)
	case ReslicedPut:
		fmt.Fprintf(&s, ", put with a capacity of %d,", m.Offset)
	}
	fmt.Fprintf(&s, " of pool %q", m.Pool)
	if m.Count > 1 {
		fmt.Fprintf(&s, " (%d times)", m.Count)
	}
	for _, part := range []struct {
		name  string
		stack Stack
	}{{"here", m.Here}, {"put back", m.FirstPut}, {"acquired", m.Acquired}} {
		if part.stack != nil {
			fmt.Fprintf(&s, "\n  %s:\n%v", part.name, part.stack)
		}
	}
	return s.String()
}

// A Stack is a call stack, as [runtime.Callers] gives it.
type Stack []uintptr

// String returns a line for each frame of s, indented.
func (s Stack) String() string {
	var lines []string
	for _, f := range s.Frames() {
		lines = append(lines, fmt.Sprintf("    %s\n        %s:%d", f.Function, f.File, f.Line))
	}
	return strings.Join(lines, "\n")
}

// Frames returns the frames of s, the innermost first. Those of basin itself are left out,
// so the first is the line that called it.
func (s Stack) Frames() []runtime.Frame {
	if len(s) == 0 {
		return nil
	}
	var all []runtime.Frame
	outside := -1 // the first that is not basin's
	frames := runtime.CallersFrames(s)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if outside < 0 && !ours(f) {
			outside = len(all)
		}
		all = append(all, f)
	}
	return all[max(outside, 0):]
}

// ours reports whether f is a frame of basin, and not of a test of it.
func ours(f runtime.Frame) bool {
	const path = "github.com/basin-go/basin"
	rest, found := strings.CutPrefix(f.Function, path)
	return found && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/internal/check.")) &&
		!strings.HasSuffix(f.File, "_test.go")
}

func stackOf(s *check.Stack) Stack {
	if s == nil {
		return nil
	}
	return s.PCs
}

// Misuses counts what checks have found, by kind. Of the levels of checking, each
// counts what it finds.
type Misuses struct {
	DoublePut       uint64
	WriteAfterPut   uint64
	ForeignPut      uint64
	InteriorPut     uint64
	ReslicedPut     uint64
	WrongPool       uint64 // of what is from this pool
	UseAfterRelease uint64
	Leak            uint64
}

type misuses struct {
	kind MisuseKind
	name string // of the field, in snake case
	n    uint64
}

// kinds returns the counts with their kinds.
func (m Misuses) kinds() []misuses {
	return []misuses{
		{DoublePut, "double_put", m.DoublePut},
		{WriteAfterPut, "write_after_put", m.WriteAfterPut},
		{ForeignPut, "foreign_put", m.ForeignPut},
		{InteriorPut, "interior_put", m.InteriorPut},
		{ReslicedPut, "resliced_put", m.ReslicedPut},
		{WrongPool, "wrong_pool", m.WrongPool},
		{UseAfterRelease, "use_after_release", m.UseAfterRelease},
		{Leak, "leak", m.Leak},
	}
}

// Total returns the sum over all kinds but Leak.
func (m Misuses) Total() uint64 {
	return m.DoublePut + m.WriteAfterPut + m.ForeignPut + m.InteriorPut + m.ReslicedPut + m.WrongPool + m.UseAfterRelease
}

// misusesOf returns the counts of o, which is nil if the pool was never checked.
func misusesOf(o *check.Owner) Misuses {
	if o == nil {
		return Misuses{}
	}
	n := func(k MisuseKind) uint64 { return o.Counts[k].Load() }
	return Misuses{
		DoublePut:       n(DoublePut),
		WriteAfterPut:   n(WriteAfterPut),
		ForeignPut:      n(ForeignPut),
		InteriorPut:     n(InteriorPut),
		ReslicedPut:     n(ReslicedPut),
		WrongPool:       n(WrongPool),
		UseAfterRelease: n(UseAfterRelease),
		Leak:            n(Leak),
	}
}
