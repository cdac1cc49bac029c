//go:build go1.25

package check

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/testenv"
)

func heapArray(n int) []byte { return make([]byte, n) }

// TestPut: the verdict on each Put and Forget of an array, the finding, and the state of the array afterwards.
func TestPut(t *testing.T) {
	const size = 128
	nothing := func(*Tracker, *Owner, *byte) {}
	puts := func(tr *Tracker, o *Owner, x *byte) { puts(tr, o, x, size) }
	forgets := func(tr *Tracker, o *Owner, x *byte) { tr.Forget(o, x, size) }
	for _, tt := range []struct {
		name               string
		before             func(*Tracker, *Owner, *byte)
		from, into         bool // the array's pool, and that of the Put, are default pools; or else
		other              bool // they are not the same
		capacity           int
		verdict            Verdict
		kind               misuse.Kind
		offset             int
		again, forgotAgain Verdict // of a Put as it should be, after the Put, and after Forget
	}{
		{"as it should be", nothing, false, false, false, size, Accepted, 0, 0, Rejected, Rejected},
		{"another default pool", nothing, true, true, true, size, Accepted, 0, 0, Rejected, Rejected},
		{"twice", puts, false, false, false, size, Rejected, misuse.DoublePut, 0, Rejected, Rejected},
		{"after Forget", forgets, false, false, false, size, Rejected, misuse.DoublePut, 0, Rejected, Rejected},
		{"shorter", nothing, false, false, false, 100, Rejected, misuse.ReslicedPut, 100, Accepted, Accepted},
		{"longer", nothing, false, false, false, 1 << 30, Rejected, misuse.ReslicedPut, 1 << 30, Accepted, Accepted},
		{"another pool", nothing, false, true, true, size, Rejected, misuse.WrongPool, 0, Rejected, Accepted},
	} {
		for _, forget := range []bool{false, true} {
			for _, full := range []bool{false, true} {
				tr, o, _ := begin(t, 1, full)
				o.Default.Store(tt.from)
				other := NewOwner("other")
				other.Default.Store(tt.into)
				into := o
				if tt.other {
					into = other
				}
				x := array(tr, o, size)
				tt.before(tr, o, x)
				take, again := tr.Put, tt.again
				if forget {
					take, again = tr.Forget, tt.forgotAgain
				}
				v, f := take(into, x, tt.capacity)
				if v != tt.verdict || f.Kind != tt.kind || f.Offset != tt.offset {
					t.Errorf("%s, forget %t: verdict %d, %s, offset %d", tt.name, forget, v, f.Kind.Words(), f.Offset)
				}
				if v == Rejected {
					if f.Pool != &o.Pool || f.Size != size || innermost(f.Acquired) != "array" || len(f.Here) == 0 {
						t.Errorf("%s, forget %t: %+v", tt.name, forget, f)
					}
					if (len(f.FirstPut) > 0) != (f.Kind == misuse.DoublePut) {
						t.Errorf("%s, forget %t: first put at %s", tt.name, forget, innermost(f.FirstPut))
					}
				}
				if n := outItems(tr); n != 0 { // one report is enough
					t.Errorf("%s, forget %t: %d items must still be put", tt.name, forget, n)
				}
				if v, _ := tr.Put(o, x, size); v != again {
					t.Errorf("%s, forget %t: then the verdict on a Put as it should be is %d", tt.name, forget, v)
				}
			}
		}
	}
}

// putsAgain is puts with another name.
//
//go:noinline
func putsAgain(tr *Tracker, o *Owner, x *byte, capacity int) (Verdict, misuse.Finding) {
	return tr.Put(o, x, capacity)
}

// TestDoublePutStacks: a double Put is reported with the stacks of the Get and of both Puts.
func TestDoublePutStacks(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	x := array(tr, o, 64)
	puts(tr, o, x, 64)
	_, f := putsAgain(tr, o, x, 64)
	for name, pcs := range map[string][]uintptr{"array": f.Acquired, "puts": f.FirstPut, "putsAgain": f.Here} {
		if got := innermost(pcs); got != name {
			t.Errorf("a stack begins at %s, want %s", got, name)
		}
	}
}

// TestUntracked: slices that no record knows, and all slices once the tracker has ended.
func TestUntracked(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	foreign, lost := unsafe.SliceData(make([]byte, 64)), array(tr, o, 64)
	methods := map[string]func(*Owner, *byte, int) (Verdict, misuse.Finding){"Put": tr.Put, "Forget": tr.Forget, "Adopt": tr.Adopt}
	for name, method := range methods {
		for _, x := range []*byte{foreign, byteAt(foreign, 7), nil} {
			if v, f := method(o, x, 8); v != Unknown || f.Kind != 0 {
				t.Errorf("%s of another slice: verdict %d, %+v", name, v, f)
			}
		}
	}
	if f := tr.Inside(o, foreign, 9); f.Kind != misuse.ForeignPut || f.Pool != &o.Pool || f.Size != 9 || len(f.Here) == 0 {
		t.Errorf("%+v", f)
	}
	if tr.Known(foreign) || tr.Known(nil) || tr.Out(foreign, 64) || tr.Tracks(addr(foreign)) || tr.OnEnd(foreign, nil) {
		t.Error("another slice is known")
	}
	tr.Exempt(foreign) // these do nothing
	tr.Claim(foreign, true)
	stop(tr)
	for name, method := range methods {
		for _, x := range []*byte{foreign, lost} {
			if v, f := method(o, x, 64); v != Unjudged || f.Kind != 0 {
				t.Errorf("%s after the end: verdict %d, %+v", name, v, f)
			}
		}
	}
	if !tr.Known(foreign) {
		t.Error("after the end, a slice is called foreign although it may have been tracked")
	}
}

// TestWriteAfterPut: Put fills an array with poison. A write to it is reported by the next Verify, at the byte
// where it is, and once.
func TestWriteAfterPut(t *testing.T) {
	for _, full := range []bool{false, true} {
		for _, at := range []int{0, 1, 4095, 4096, 9999} {
			tr, o, told := begin(t, 1, full)
			x := array(tr, o, 10_000)
			b := unsafe.Slice(x, 10_000)
			puts(tr, o, x, len(b))
			if n := Damage(b); n != -1 {
				t.Errorf("byte %d is no poison after Put", n)
			}
			if tr.Verify(); told.take() != nil {
				t.Error("Verify reports an array without a write")
			}
			b[at], b[9999] = 1, 2
			tr.Verify()
			if got := told.take(); len(got) != 1 || got[0].Kind != misuse.WriteAfterPut || got[0].Offset != at || got[0].Size != len(b) ||
				innermost(got[0].Acquired) != "array" || innermost(got[0].FirstPut) != "puts" {
				t.Errorf("a write to byte %d: %+v", at, got)
			}
			if tr.Verify(); told.take() != nil {
				t.Error("reported again")
			}
			y := array(tr, o, 64)
			tr.Forget(o, y, 64)
			if *y = 1; Damage(unsafe.Slice(y, 64)) != 0 || *byteAt(y, 63) != 0 {
				t.Error("Forget fills an array")
			}
			if tr.Verify(); told.take() != nil {
				t.Error("Verify reports a forgotten array")
			}
		}
	}
}

// TestAdopt: which slices a pool may take from users who have them from anywhere.
func TestAdopt(t *testing.T) {
	const size = 128
	nothing := func(*Tracker, *Owner, *byte) {}
	puts := func(tr *Tracker, o *Owner, x *byte) { puts(tr, o, x, size) }
	forgets := func(tr *Tracker, o *Owner, x *byte) { tr.Forget(o, x, size) }
	for _, tt := range []struct {
		name         string
		before       func(*Tracker, *Owner, *byte)
		other        bool // another pool adopts
		at, capacity int
		verdict      Verdict
		kind         misuse.Kind
		again        Verdict // of a Put as it should be, afterwards
	}{
		{"outstanding", nothing, false, 0, size, Accepted, 0, Rejected},
		{"outstanding, of another pool", nothing, true, 0, size, Rejected, 0, Accepted},
		{"outstanding, shorter", nothing, false, 0, size - 1, Rejected, 0, Accepted},
		{"outstanding, a part", nothing, false, 8, 8, Rejected, 0, Accepted},
		{"put", puts, false, 0, size, Rejected, misuse.DoublePut, Rejected},
		{"put, shorter", puts, true, 0, size - 1, Rejected, misuse.DoublePut, Rejected},
		{"put, a part", puts, false, 8, 8, Rejected, misuse.InteriorPut, Rejected},
		{"forgotten", forgets, false, 0, size, Unknown, 0, Unknown},
		{"forgotten, by another pool", forgets, true, 0, size - 1, Unknown, 0, Unknown},
		{"forgotten, a part", forgets, false, 8, 8, Unknown, 0, Rejected},
	} {
		tr, o, _ := begin(t, 1, true)
		into := o
		if tt.other {
			into = NewOwner("other")
		}
		x := array(tr, o, size)
		tt.before(tr, o, x)
		v, f := tr.Adopt(into, byteAt(x, tt.at), tt.capacity)
		if v != tt.verdict || f.Kind != tt.kind || f.Offset != tt.at && f.Kind != 0 {
			t.Errorf("%s: verdict %d, %s at byte %d", tt.name, v, f.Kind.Words(), f.Offset)
		}
		if f.Kind != 0 && (len(f.Here) == 0 || len(f.FirstPut) == 0 || f.Pool != &o.Pool) {
			t.Errorf("%s: %+v", tt.name, f)
		}
		if n := outItems(tr); n != 0 {
			t.Errorf("%s: %d items must still be put", tt.name, n)
		}
		if v, _ := tr.Put(o, x, size); v != tt.again {
			t.Errorf("%s: then the verdict on a Put is %d", tt.name, v)
		}
	}
}

// TestInsideFixed: a slice of a fixed pool that is put into another pool is told from a foreign one.
func TestInsideFixed(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	owner, block := NewOwner("fixed"), make([]byte, 4*64)
	f := tr.Fixed(owner, block, 64, false)
	getsFixed(f, 2)
	for _, at := range []int{0, 1, 2*64 + 9, 4*64 - 1} {
		got := tr.Inside(o, &block[at], 8)
		if got.Kind != misuse.WrongPool || got.Pool != &owner.Pool || got.Into != o.Name || got.Size != 64 || !tr.Known(&block[at]) {
			t.Errorf("byte %d: %+v", at, got)
		}
		if (got.Acquired != nil) != (at/64 == 2) {
			t.Errorf("byte %d was acquired at %v", at, got.Acquired)
		}
	}
	if !f.Of(tr) || f.Of(New(1, true, false)) || (*Fixed)(nil).Of(tr) {
		t.Error("the records are another tracker's")
	}
}

// TestOutAndTracks: an array is outstanding, with one size, until its Put.
func TestOutAndTracks(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	x := array(tr, o, 64)
	for _, tt := range []struct {
		at, size    int
		out, tracks bool
	}{{0, 64, true, true}, {0, 63, false, true}, {1, 63, false, false}} {
		if out, tracks := tr.Out(byteAt(x, tt.at), tt.size), tr.Tracks(addr(x)+uintptr(tt.at)); out != tt.out || tracks != tt.tracks {
			t.Errorf("%+v: out %t, tracks %t", tt, out, tracks)
		}
	}
	tr.Put(o, x, 64)
	if tr.Out(x, 64) || tr.Tracks(addr(x)) || !tr.Known(x) || !tr.Known(byteAt(x, 63)) {
		t.Error("after Put an array is outstanding, or not known")
	}
	tr.Pay()
	if b := tr.Unguarded(o, 100, heapArray); len(b) != 100 || !tr.Out(&b[0], 100) {
		t.Error("an array without guard pages is not tracked")
	}
}

//go:noinline
func claims(tr *Tracker, x *byte, must bool) { tr.Claim(x, must) }

// TestClaim: the caller of Claim becomes the one that has acquired the array, and must put it or not.
func TestClaim(t *testing.T) {
	for _, exempt := range []bool{false, true} {
		for _, must := range []bool{false, true} {
			tr, o, _ := begin(t, 1, true)
			x := array(tr, o, 64)
			if exempt {
				tr.Exempt(x)
			}
			claims(tr, x, must)
			gets := make(map[string]uint64)
			for _, s := range tr.Sites() {
				gets[innermost(s.Acquired)] += s.Gets
			}
			want := map[string]uint64{"array": 0, "claims": 0}
			if must {
				want["claims"] = 1
			}
			if gets["array"] != want["array"] || gets["claims"] != want["claims"] || outItems(tr) != int64(want["claims"]) {
				t.Errorf("exempt %t, must %t: acquisitions %v, %d outstanding", exempt, must, gets, outItems(tr))
			}
			_, f := tr.Put(o, x, 1)
			if innermost(f.Acquired) != "claims" {
				t.Errorf("acquired at %s", innermost(f.Acquired))
			}
			tr.Put(o, x, 64)
			claims(tr, x, true) // must do nothing
			if _, f := tr.Put(o, x, 64); outItems(tr) != 0 || f.Kind != misuse.DoublePut {
				t.Errorf("after Put and Claim, %d items are outstanding, and the next Put is %s", outItems(tr), f.Kind.Words())
			}
			tr.Exempt(x)
		}
	}
}

// TestOnEnd: the function is called once the record has ended without a correct Put into the array's own pool.
func TestOnEnd(t *testing.T) {
	const size = 64
	for _, tt := range []struct {
		name string
		use  func(tr *Tracker, o *Owner, x *byte)
		want []bool // whether the array exists, for each call
	}{
		{"put", func(tr *Tracker, o *Owner, x *byte) { tr.Put(o, x, size) }, nil},
		{"forgotten", func(tr *Tracker, o *Owner, x *byte) { tr.Forget(o, x, size) }, nil},
		{"put into another pool", func(tr *Tracker, o *Owner, x *byte) { tr.Put(NewOwner("other"), x, size) }, []bool{true}},
		{"put into another default pool", func(tr *Tracker, o *Owner, x *byte) {
			other := NewOwner("other")
			o.Default.Store(true)
			other.Default.Store(true)
			tr.Put(other, x, size)
		}, []bool{true}},
		{"re-sliced", func(tr *Tracker, o *Owner, x *byte) { tr.Put(o, x, size-1) }, []bool{true}},
		{"exempt", func(tr *Tracker, o *Owner, x *byte) { tr.Exempt(x) }, []bool{true}},
		{"outstanding", func(tr *Tracker, o *Owner, x *byte) {}, []bool{true}},
	} {
		tr, o, _ := begin(t, 1, true)
		x := array(tr, o, size)
		var got []bool
		set := tr.OnEnd(x, func(at *byte) {
			got = append(got, at == x)
			if at != nil && at != x {
				t.Errorf("%s: another array ends", tt.name)
			}
		})
		tt.use(tr, o, x)
		if stop(tr); !set || !slices.Equal(got, tt.want) {
			t.Errorf("%s: set is %t, the ends are %v, want %v", tt.name, set, got, tt.want)
		}
	}
	tr, o, _ := begin(t, 1, true)
	ended := make(chan *byte, 1)
	if !tr.OnEnd(array(tr, o, size), func(at *byte) { ended <- at }) {
		t.Error("an outstanding array has no end")
	}
	testenv.CollectUntil(func() bool { return len(ended) == 1 })
	if at := <-ended; at != nil {
		t.Errorf("garbage ends as %p", at)
	}
}
