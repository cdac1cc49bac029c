//go:build go1.25

package basincheck_test

import (
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
)

// TestStack expects the line that called basin as innermost frame, however deep the calls
// within basin are.
func TestStack(t *testing.T) {
	told := pooltest.BeginChecks(t, pooltest.FullChecking)
	values := &basin.Pool[*int]{New: func() *int { return new(int) }}
	fixed := &basin.FixedPool{Count: 1, Size: 64}
	for _, tt := range []struct {
		name   string
		misuse func()
	}{
		{"the default pool", func() { b := basin.Get(100); basin.Put(b); basin.Put(b) }},
		{"a generic pool", func() { x := values.Get(); values.Put(x); values.Put(x) }},
		{"a fixed pool", func() { b := fixed.Get(); fixed.Put(b); fixed.Put(b) }},
		{"a handle", func() { b := basin.GetBuffer(); basin.PutBuffer(b); b.WriteByte(1) }},
		{"Verify", func() { b := basin.Get(100); basin.Put(b); b[0]++; basincheck.Verify() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.misuse()
			got := told.Take()
			if len(got) != 1 {
				t.Fatalf("%d reports: %v", len(got), got)
			}
			for _, s := range []basincheck.Stack{got[0].Acquired, got[0].FirstPut, got[0].Here} {
				if s != nil && (!pooltest.InCaller(s) || !strings.Contains(s.String(), "stack_test.go:")) {
					t.Errorf("begins elsewhere:\n%v", s)
				}
			}
		})
	}
	if s := basincheck.Stack(nil); s.Frames() != nil || s.String() != "" {
		t.Errorf("a nil Stack is %q", s)
	}
}
