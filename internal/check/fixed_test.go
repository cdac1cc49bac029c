//go:build go1.25

package check

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/testenv"
)

//go:noinline
func getsFixed(f *Fixed, i int) (misuse.Finding, bool) {
	if !f.book.Pay() {
		panic("the budget has too little left")
	}
	return f.Get(i, true)
}

//go:noinline
func putsFixed(f *Fixed, i int) (found misuse.Finding, filled, ok bool) { return f.Put(i) }

// TestFixed: a buffer is put once for each Get. Idle ones have no record unless they were put with one.
func TestFixed(t *testing.T) {
	const size, n = 10, 130 // buffers with bits in three words
	for _, zero := range []bool{false, true} {
		tr, o, told := begin(t, 1, true)
		block := make([]byte, size*n)
		f := tr.Fixed(o, block, size, zero)
		for _, i := range []int{0, 1, 63, 64, 65, 127, 128, 129} {
			if f.Knows(i) {
				t.Errorf("buffer %d has a record before its Get", i)
			}
			if found, filled, ok := f.Put(i); !ok || filled {
				t.Errorf("Put of buffer %d without a record: %+v, filled %t", i, found, filled)
			}
			fill(block, 0)
			if found, ok := f.Get(i, false); !ok || f.Knows(i) {
				t.Errorf("untracked Get of buffer %d: %+v, known %t", i, found, f.Knows(i))
			}
			if found, ok := getsFixed(f, i); !ok || !f.Knows(i) || outItems(tr) != 1 {
				t.Errorf("Get of buffer %d: %+v, known %t", i, found, f.Knows(i))
			}
			for j := range n {
				if f.Knows(j) != (i == j) {
					t.Errorf("after Get of buffer %d, buffer %d is known: %t", i, j, f.Knows(j))
				}
			}
			fill(block, 0)
			block[i*size] = 1
			if found, filled, ok := putsFixed(f, i); !ok || !filled || outItems(tr) != 0 {
				t.Errorf("Put of buffer %d: %+v, filled %t", i, found, filled)
			}
			for at, c := range block {
				if want := map[bool]byte{true: f.fill, false: 0}[at/size == i]; c != want {
					t.Fatalf("Put of buffer %d has made byte %d %#x", i, at, c)
				}
			}
			if want := map[bool]byte{false: Poison, true: 0}[zero]; f.fill != want {
				t.Errorf("idle buffers are filled with %#x", f.fill)
			}
			found, filled, ok := f.Put(i)
			if ok || filled || found.Kind != misuse.DoublePut || found.Pool != &o.Pool || found.Size != size ||
				innermost(found.Acquired) != "getsFixed" || innermost(found.FirstPut) != "putsFixed" || len(found.Here) == 0 {
				t.Errorf("second Put of buffer %d: %+v", i, found)
			}
			if found, ok := f.Get(i, false); !ok || f.Knows(i) {
				t.Errorf("untracked Get of buffer %d with a record: %+v, known %t", i, found, f.Knows(i))
			}
			getsFixed(f, i)
			if f.Forget(i); f.Knows(i) || outItems(tr) != 0 {
				t.Errorf("buffer %d is known after Forget", i)
			}
		}
		if tr.Verify(); told.take() != nil {
			t.Error("reported without a write")
		}
	}
}

// TestFixedWrites: a write to an idle buffer is found by Verify or by the next Get of that buffer, and once.
func TestFixedWrites(t *testing.T) {
	const size = 5000
	for _, zero := range []bool{false, true} {
		for _, at := range []int{0, 1, 4096, size - 1} {
			for _, verify := range []bool{false, true} {
				tr, o, told := begin(t, 1, true)
				block := make([]byte, 3*size)
				f := tr.Fixed(o, block, size, zero)
				for i := range 3 {
					getsFixed(f, i)
				}
				putsFixed(f, 1)
				putsFixed(f, 2)
				block[0], block[size-1] = 1, 1 // buffer 0 is outstanding
				block[size+at] = 1
				check := func(found misuse.Finding) {
					t.Helper()
					if found.Kind != misuse.WriteAfterPut || found.Offset != at || found.Size != size || found.Pool != &o.Pool ||
						innermost(found.Acquired) != "getsFixed" || innermost(found.FirstPut) != "putsFixed" {
						t.Errorf("zero %t, a write to byte %d: %+v", zero, at, found)
					}
				}
				if verify {
					tr.Verify()
					if got := told.take(); len(got) != 1 {
						t.Errorf("zero %t, byte %d: Verify reports %+v", zero, at, got)
					} else {
						check(got[0])
					}
				} else if found, ok := f.Get(1, false); ok {
					t.Errorf("zero %t: Get does not find a write to byte %d", zero, at)
				} else {
					check(found)
				}
				tr.Verify()
				if found, ok := getsFixed(f, 1); !ok || told.take() != nil {
					t.Errorf("zero %t, byte %d: reported again: %+v", zero, at, found)
				}
				if found, ok := getsFixed(f, 2); !ok {
					t.Errorf("zero %t, byte %d: another buffer: %+v", zero, at, found)
				}
			}
		}
	}
}

// TestFixedInside: a slice in the middle of a buffer.
func TestFixedInside(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	outer := make([]byte, 10+4*64+10)
	block := outer[10 : 10+4*64]
	f := tr.Fixed(o, block, 64, false)
	getsFixed(f, 1)
	for _, at := range []int{1, 63, 64 + 1, 4*64 - 1} {
		found := f.Inside(&block[at])
		if found.Kind != misuse.InteriorPut || found.Offset != at%64 || found.Size != 64 || found.Pool != &o.Pool || len(found.Here) == 0 || (found.Acquired != nil) != (at/64 == 1) {
			t.Errorf("byte %d: %+v", at, found)
		}
	}
	for at, want := range map[int]bool{9: false, 10: true, 10 + 4*64 - 1: true, 10 + 4*64: false} {
		if _, _, ok := f.index(addr(&outer[at])); ok != want {
			t.Errorf("byte %d is in the block: %t", at-10, ok)
		}
	}
}

// TestFixedAccounts: records of buffers are paid for, and given back when they end or when the pool is garbage.
func TestFixedAccounts(t *testing.T) {
	tr, o, told := begin(t, 1, false)
	const cost = fixedCost + 2*8
	tr.budget.limit = reservedForPuts + cost
	f := tr.Fixed(o, make([]byte, 128), 1, false)
	if f == nil || tr.budget.used.Load() != cost || tr.Fixed(o, nil, 1, false) != nil || tr.Usage().Untracked != 1 {
		t.Errorf("%d bytes are paid, want %d", tr.budget.used.Load(), cost)
	}
	tr.budget.limit = recordsSampled
	for range 3 {
		for i := range 10 {
			getsFixed(f, i)
		}
		for i := range 5 {
			putsFixed(f, i)
		}
	}
	s := tr.Sites() // a Get of an outstanding buffer takes the Get before back: the pool gave it up otherwise
	if len(s) != 1 || s[0].Gets != 20 || s[0].Puts != 15 || s[0].Items != 5 || len(f.records) != 10 {
		t.Errorf("%+v, %d records", s, len(f.records))
	}
	for i := range 8 {
		f.Forget(i)
		f.Forget(i) // must do nothing
	}
	if s := tr.Sites(); s[0].Gets != 17 || s[0].Puts != 15 || s[0].Items != 2 || len(f.records) != 2 {
		t.Errorf("after Forget of some: %+v, %d records", s, len(f.records))
	}
	runtime.KeepAlive(f)
	f = nil
	testenv.CollectUntil(func() bool {
		tr.fixedList.mu.Lock()
		defer tr.fixedList.mu.Unlock()
		return len(tr.fixedList.live) == 0
	})
	testenv.RunCleanups()
	balanced(t, tr)
	if s := tr.Sites(); s[0].Gets != 15 || s[0].Puts != 15 || s[0].Items != 0 || told.take() != nil {
		t.Errorf("after the end of the pool: %+v", s)
	}
}

// TestFixedAtOnce: goroutines use buffers of one pool, some tracked and some not, while others verify.
func TestFixedAtOnce(t *testing.T) {
	const users, each = 4, 16
	tr, o, told := begin(t, 1, true)
	f := tr.Fixed(o, make([]byte, users*each*32), 32, false)
	var all, watchers sync.WaitGroup
	done := make(chan bool)
	watchers.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				tr.Verify()
				outItems(tr)
			}
		}
	})
	for u := range users {
		all.Go(func() {
			for n := range 500 {
				i := n%each*users + u // neighbours share a word of bits
				picked := n%3 != 0 && tr.Pay()
				if found, ok := f.Get(i, picked); !ok {
					t.Errorf("Get: %+v", found)
				}
				if f.Knows(i) != picked {
					t.Errorf("buffer %d is known: %t", i, f.Knows(i))
				}
				f.buffer(i)[n%32] = byte(n)
				if found, filled, ok := f.Put(i); !ok || filled != picked {
					t.Errorf("Put: %+v, filled %t", found, filled)
				}
			}
		})
	}
	all.Wait()
	close(done)
	watchers.Wait()
	if got := told.take(); got != nil || outItems(tr) != 0 {
		t.Errorf("reported: %+v, %d are outstanding", got, outItems(tr))
	}
}

// TestFixedList: all live records of the tracker are seen, as long as the caller asks for more.
func TestFixedList(t *testing.T) {
	tr, o, _ := begin(t, 1, true)
	var made, seen []*Fixed
	for range 5 {
		made = append(made, tr.Fixed(o, make([]byte, 64), 64, false))
	}
	for f := range tr.fixedList.all {
		seen = append(seen, f)
	}
	for _, f := range made {
		if !slices.Contains(seen, f) {
			t.Error("one is missing")
		}
	}
	n := 0
	for range tr.fixedList.all {
		if n++; n == 2 {
			break
		}
	}
	if len(seen) != 5 || n != 2 {
		t.Errorf("%d are seen, and %d until the caller has enough", len(seen), n)
	}
}
