//go:build go1.25

package check

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
)

// TestOwnerName: the name of an Owner has a limit, and is cut between letters.
func TestOwnerName(t *testing.T) {
	for _, tt := range []struct {
		name string
		kept int // bytes of it
	}{
		{"", 0}, {"pool", 4}, {strings.Repeat("n", maxName), maxName}, {strings.Repeat("n", maxName+1), maxName},
		{strings.Repeat("é", maxName/2), maxName}, {strings.Repeat("é", maxName), maxName},
		{"n" + strings.Repeat("é", maxName), maxName - 1}, {"n" + strings.Repeat("𝄞", maxName), maxName - 3},
		{strings.Repeat("\x80", 2*maxName), 0}, // no letter begins
		{strings.Repeat("n", 1<<20), maxName},
	} {
		want := tt.name[:tt.kept]
		if tt.kept < len(tt.name) {
			want += "…"
		}
		if got := NewOwner(tt.name).Name; got != want {
			t.Errorf("of %d bytes, %q is kept, want %q", len(tt.name), got, want)
		} else if utf8.ValidString(tt.name) && !utf8.ValidString(got) {
			t.Errorf("%q is cut within a letter", got)
		}
	}
}

// TestOwnerIn: users of a pool that ask at once get the same Owner.
func TestOwnerIn(t *testing.T) {
	for range 500 {
		var at atomic.Pointer[Owner]
		var got [4]*Owner
		var users sync.WaitGroup
		begin := make(chan bool)
		for i := range got {
			users.Go(func() {
				<-begin
				got[i] = OwnerIn(&at, "pool")
			})
		}
		close(begin)
		users.Wait()
		for _, o := range got {
			if o == nil || o != at.Load() || o.Name != "pool" {
				t.Fatalf("Owners %p, and %p is stored", got, at.Load())
			}
		}
		if OwnerIn(&at, "other") != got[0] {
			t.Fatal("a pool has two Owners")
		}
	}
}

// TestOwnerCounts: no Owner has no findings.
func TestOwnerCounts(t *testing.T) {
	o := NewOwner(t.Name())
	misuse.Count(misuse.Finding{Kind: misuse.DoublePut, Pool: &o.Pool, Weight: 3})
	if n := o.Counts(); n != [misuse.MaxKinds]uint64{misuse.DoublePut: 3} {
		t.Errorf("%v", n)
	}
	if n := (*Owner)(nil).Counts(); n != [misuse.MaxKinds]uint64{} {
		t.Errorf("without an Owner: %v", n)
	}
}

// TestPermitLeaks: the permission is for one name, and for Owners that are made after it.
func TestPermitLeaks(t *testing.T) {
	before := NewOwner(t.Name())
	PermitLeaks(t.Name())
	defer permitted.Delete(t.Name())
	if before.permits || !NewOwner(t.Name()).permits || NewOwner(t.Name()+"2").permits {
		t.Error("leaks are permitted to other Owners than those of the name")
	}
}

// TestFreshForgets: an Owner whose New has returned an outstanding value tracks no value of it, and the same
// value is fresh again only after enough others.
func TestFreshForgets(t *testing.T) {
	o := NewOwner(t.Name())
	values := make([]*[8]int, len(newValues{}.at)+1)
	for i := range values {
		values[i] = new([8]int)
	}
	for i, v := range values[:len(values)-1] {
		if !o.fresh((*byte)(unsafe.Pointer(v))) {
			t.Errorf("value %d is not fresh", i)
		}
	}
	if o.fresh((*byte)(unsafe.Pointer(values[0]))) {
		t.Error("a value that New has returned before is fresh")
	}
	if !o.fresh((*byte)(unsafe.Pointer(values[len(values)-1]))) || !o.fresh((*byte)(unsafe.Pointer(values[0]))) {
		t.Error("the oldest value is not forgotten")
	}
	if o.fresh((*byte)(unsafe.Pointer(values[2]))) {
		t.Error("a value that New has returned before is fresh")
	}
	o.shares.Store(true)
	if o.fresh((*byte)(unsafe.Pointer(new([8]int)))) {
		t.Error("a value is fresh although New shares values")
	}
}

// TestAtDeath: memory that is never garbage has no cleanup, and asking for one does no harm.
func TestAtDeath(t *testing.T) {
	heap := new([8]int)
	for _, tt := range []struct {
		name string
		x    *byte
		want bool
	}{
		{"of the heap", (*byte)(unsafe.Pointer(heap)), true},
		{"within the heap", (*byte)(unsafe.Pointer(&heap[2])), true},
		{"global", (*byte)(unsafe.Pointer(&global)), false},
		{"nil", nil, false},
	} {
		c, ok := atDeath(tt.x, func(int) {}, 0)
		if c.Stop(); ok != tt.want {
			t.Errorf("%s: has a cleanup is %t", tt.name, ok)
		}
	}
}
