//go:build go1.25

package check

import (
	"testing"

	"github.com/basin-go/basin/internal/misuse"
)

// TestMisputs: which Put of an array is misuse, and of which kind if it is of several.
func TestMisputs(t *testing.T) {
	mine, other, def, def2 := NewOwner("mine"), NewOwner("other"), NewOwner("default"), NewOwner("default 2")
	def.Default.Store(true)
	def2.Default.Store(true)
	for _, tt := range []struct {
		name     string
		state    state
		of, into *Owner
		capacity int
		want     misuse.Kind
		offset   int
		told     string // as Into
	}{
		{"as it should be", out, mine, mine, 64, 0, 0, ""},
		{"of another default pool", out, def, def2, 64, 0, 0, ""},
		{"put before", put, mine, mine, 64, misuse.DoublePut, 0, ""},
		{"forgotten before", forgotten, mine, mine, 64, misuse.DoublePut, 0, ""},
		{"put before, and otherwise wrong", put, mine, other, 63, misuse.DoublePut, 0, ""},
		{"shorter", out, mine, mine, 63, misuse.ReslicedPut, 63, ""},
		{"longer", out, mine, mine, 65, misuse.ReslicedPut, 65, ""},
		{"empty", out, mine, mine, 0, misuse.ReslicedPut, 0, ""},
		{"shorter, into another pool", out, mine, other, 63, misuse.ReslicedPut, 63, ""},
		{"another pool", out, mine, other, 64, misuse.WrongPool, 0, "other"},
		{"into a default pool", out, mine, def, 64, misuse.WrongPool, 0, "default"},
		{"of a default pool", out, def, mine, 64, misuse.WrongPool, 0, "mine"},
	} {
		r := &record{owner: tt.of, size: 64, state: tt.state, acquired: &stack{pcs: []uintptr{1}}, put: &stack{pcs: []uintptr{2}}, goroutine: 3}
		f := r.misputs(tt.into, tt.capacity)
		if f.Kind != tt.want || f.Offset != tt.offset || f.Into != tt.told {
			t.Errorf("%s: %s, offset %d, into %q, want %s, %d, %q", tt.name, f.Kind.Words(), f.Offset, f.Into, tt.want.Words(), tt.offset, tt.told)
		}
		if f.Pool != &tt.of.Pool || f.Size != 64 || f.Acquired[0] != 1 || f.FirstPut[0] != 2 || f.Goroutine != 3 || f.Trail != nil {
			t.Errorf("%s: %+v", tt.name, f)
		}
	}
}

// TestRecordVerify: a write to an item after its Put is found where it is, and once.
func TestRecordVerify(t *testing.T) {
	fresh := make([]byte, 64)
	Fill(fresh)
	damaged := append([]byte(nil), fresh...)
	damaged[9] = 1
	at := func(n int) func() int { return func() int { return n } }
	used := func(is bool) func() bool { return func() bool { return is } }
	for _, tt := range []struct {
		name   string
		r      record
		want   misuse.Kind // 0 if nothing is found
		offset int
	}{
		{"an outstanding array", record{state: out, contents: damaged}, 0, 0},
		{"a forgotten array", record{state: forgotten, contents: damaged}, 0, 0},
		{"an array", record{state: put, contents: fresh}, 0, 0},
		{"a guarded array", record{state: put}, 0, 0},
		{"an array with a write", record{state: put, contents: damaged}, misuse.WriteAfterPut, 9},
		{"an array with a known write", record{state: put, contents: damaged, reported: true}, 0, 0},
		{"an object", record{state: put, damage: at(-1)}, 0, 0},
		{"an object with a write to its begin", record{state: put, damage: at(0)}, misuse.WriteAfterPut, 0},
		{"an object with a write", record{state: put, damage: at(7), used: used(false)}, misuse.WriteAfterPut, 7},
		{"an object that was used", record{state: put, damage: at(7), used: used(true)}, misuse.UseAfterRelease, 0},
	} {
		o := NewOwner("pool")
		r := &tt.r
		r.owner, r.size, r.put = o, 64, &stack{pcs: []uintptr{2}}
		f, ok := r.verify()
		if ok != (tt.want == 0) || f.Kind != tt.want || f.Offset != tt.offset {
			t.Errorf("%s: %s at byte %d, %t", tt.name, f.Kind.Words(), f.Offset, ok)
		}
		if !ok && (f.Pool != &o.Pool || f.Size != 64 || len(f.FirstPut) != 1) {
			t.Errorf("%s: %+v", tt.name, f)
		}
		if f, ok := r.verify(); !ok {
			t.Errorf("%s: found again: %+v", tt.name, f)
		}
	}
}
