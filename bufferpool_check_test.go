//go:build go1.25

package basin_test

import (
	"io"
	"slices"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// poison fills memory that was put.
const poison = 0xDB

func TestCheckHandles(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	var p basin.BufferPool
	b := p.Get()
	b.WriteString("contents")
	p.Put(b)
	if n := b.Len(); n != 0 {
		t.Errorf("after Put it has %d bytes, want none", n)
	}
	basincheck.Verify()
	if got := told.Take(); got != nil {
		t.Fatalf("reported: %v", got)
	}
	var text [8]byte
	for _, tt := range []struct {
		name string
		late bool // Verify reports it
		read func()
	}{
		{"Bytes", false, func() { b.Bytes() }},
		{"String", false, func() { _ = b.String() }},
		{"ReadRune", false, func() { b.ReadRune() }},
		{"ReadBytes", false, func() { b.ReadBytes('x') }},
		{"ReadString", false, func() { b.ReadString('x') }},
		{"WriteTo", false, func() { b.WriteTo(io.Discard) }},
		{"Detach", false, func() { b.Detach() }},
		{"Next", true, func() { b.Next(1) }},
		{"Read", true, func() { b.Read(text[:]) }},
		{"ReadByte", true, func() { b.ReadByte() }},
		{"Truncate", true, func() { b.Truncate(0) }},
	} {
		b = p.Get()
		b.WriteString("contents")
		p.Put(b)
		tt.read()
		got := told.Take()
		if tt.late && got == nil {
			basincheck.Verify()
			got = told.Take()
		} else if tt.late || len(got) != 1 || !pooltest.InCaller(got[0].Here) {
			t.Errorf("%s after Put: reported %v at once", tt.name, got)
		}
		if len(got) != 1 || got[0].Kind != basincheck.UseAfterRelease || !pooltest.InCaller(got[0].FirstPut) || !pooltest.InCaller(got[0].Acquired) {
			t.Errorf("%s after Put: reported %v, want a use after release", tt.name, got)
		}
		basincheck.Verify()
		if got := told.Take(); got != nil {
			t.Errorf("%s after Put is reported again: %v", tt.name, got)
		}
	}
	b = p.Get()
	p.Put(b)
	b.WriteString("more")
	if got := pooltest.Kinds(told.Take()); !slices.Equal(got, []basincheck.Kind{basincheck.UseAfterRelease}) {
		t.Errorf("a write after Put: reported %v", got)
	}
	if got := b.String(); got != "more" {
		t.Errorf("after that it holds %q, want the data written", got)
	}
	p.Put(new(basin.Buffer)) // no handle, and allowed
	p.Put(nil)
	if got := told.Take(); got != nil {
		t.Errorf("reported: %v", got)
	}
	p.Put(b)
	if s := p.Stats(); s.Gets != 13 || s.Puts != 13 || s.Misuse[basincheck.UseAfterRelease] != 12 || s.Misuse[basincheck.DoublePut] != 1 || s.Bytes.InUse != 0 {
		t.Errorf("stats: %+v", s)
	}
	b = p.Get()
	b.Write(make([]byte, 100_000)) // grows
	kept := b.Bytes()
	p.Put(b)
	if kept[50_000] != poison {
		t.Error("an outgrown handle's contents are no poison after Put")
	}
	told.Take()
	kept[7] = 1
	basincheck.Verify()
	if got := told.Take(); len(got) != 1 || got[0].Kind != basincheck.WriteAfterPut || got[0].Offset != 7 {
		t.Errorf("a write to kept contents: reported %v", got)
	}
}
