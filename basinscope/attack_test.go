//go:build go1.25

package basinscope_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinscope"
	"github.com/basin-go/basin/internal/pooltest"
)

// apart fails t unless all slices, each to its capacity, are aligned and keep their own bytes.
func apart(t *testing.T, name string, all [][]byte) {
	t.Helper()
	for i, b := range all {
		b = b[:cap(b)]
		for j := range b {
			b[j] = byte(i)
		}
	}
	for i, b := range all {
		if b = b[:cap(b)]; bytes.Count(b, []byte{byte(i)}) != len(b) {
			t.Errorf("%s: slice %d of %d bytes has bytes of another", name, i, len(b))
		}
	}
}

// TestAppendToParts: an append to a part of the last slice leaves the next slices aligned and apart.
func TestAppendToParts(t *testing.T) {
	for from := range 9 {
		for more := range 40 {
			var s basinscope.Scope
			b := s.Append(nil, []byte("01234567")...)
			part := s.Append(b[from:], bytes.Repeat([]byte("x"), more)...)
			if want := "01234567"[from:] + string(bytes.Repeat([]byte("x"), more)); string(part) != want || string(b) != "01234567" {
				t.Fatalf("from %d, %d more: %q of %q", from, more, part, b)
			}
			var all [][]byte
			for n := 1; len(all) < 100; n = n%300 + 7 {
				next := s.Get(n)
				if uintptr(unsafe.Pointer(&next[0]))%8 != 0 {
					t.Fatalf("from %d, %d more: slice %d is not aligned", from, more, len(all))
				}
				all = append(all, next)
			}
			apart(t, fmt.Sprintf("from %d, %d more", from, more), all)
			s.End()
		}
	}
}

// TestFullChunk: an append to a part of the last slice fills a chunk to its last byte, and no further.
func TestFullChunk(t *testing.T) {
	for from := range 9 {
		for left := range 9 {
			s := basinscope.Scope{Max: 4096} // so that the first chunk has 2 KiB
			s.Get(8)
			b := s.Get(8)
			for range 3 {
				b = s.Append(b, make([]byte, 500)...)
			}
			part := s.Append(b[from:], make([]byte, 2048-8-len(b)-left)...)
			apart(t, fmt.Sprintf("from %d, %d left", from, left), [][]byte{part, s.Get(1), s.Get(5), s.Get(300)})
			s.End()
		}
	}
}

// TestSmallLimits: a scope with room for few bytes, or whose pool has small slices only, hands out no
// memory twice.
func TestSmallLimits(t *testing.T) {
	for limit := 1; limit < 80; limit++ {
		for name, s := range map[string]*basinscope.Scope{
			"Max":            {Max: int64(limit)},
			"Max, fresh":     {Max: int64(limit), Fresh: true},
			"MaxSize":        {Pool: &basin.BytePool{MaxSize: limit}},
			"MaxSize, Max":   {Pool: &basin.BytePool{MaxSize: limit}, Max: 3000},
			"MaxInUse":       {Pool: &basin.BytePool{MaxInUse: int64(limit)}},
			"almost all":     {Max: int64(5000 + limit)},
			"almost, values": {Max: int64(2048 + limit)},
		} {
			switch name {
			case "almost all":
				s.Get(5000)
			case "almost, values":
				basinscope.Slice[byte](s, 2048)
			}
			var all [][]byte
			for _, n := range []int{1, 2, 1, 5, 8, 1, 30, 3, 100, 2000, 1, 1, 7000, 4} {
				all = append(all, s.Get(n))
			}
			apart(t, fmt.Sprintf("%s of %d", name, limit), all)
			s.End()
		}
	}
}

// TestRoomForAnything: no length makes Room overflow.
func TestRoomForAnything(t *testing.T) {
	for _, before := range []int{0, 1, 100, 3000, 20_000} {
		for _, n := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt - 100, math.MaxInt - 4096, math.MaxInt/2 + 1} {
			for _, fresh := range []bool{false, true} {
				s := basinscope.Scope{Max: 10_000, Fresh: fresh}
				s.Get(before)
				if err := s.Room(n); !errors.Is(err, basin.ErrLimit) {
					t.Errorf("after %d bytes, Room(%d) of a Max of 10,000: %v", before, n, err)
				}
				s.End()
			}
		}
	}
}

// TestRoomForEachPiece: a loop that asks before each small slice cuts the slices off chunks, as one that does not
// ask, and keeps Max.
func TestRoomForEachPiece(t *testing.T) {
	pooltest.Reuses(t) // with full checks, each slice has memory of its own
	for _, most := range []int64{0, 20_000} {
		for _, limit := range []int64{0, 40_000} {
			for _, n := range []int{1, 8, 100} {
				p := &basin.BytePool{Name: t.Name(), MaxInUse: limit}
				s := basinscope.Scope{Pool: p, Max: most}
				got := 0
				for got+n <= 15_000/(1+7/n) && s.Room(n) == nil {
					s.Get(n)
					got += n
				}
				if st := p.Stats(); got+n <= 15_000/(1+7/n) || st.Bytes.InUse > 25_000 || st.Items.InUse > 20 {
					t.Errorf("Max %d, MaxInUse %d: %d slices of %d bytes take %d bytes in %d arrays", most, limit, got/n, n, st.Bytes.InUse, st.Items.InUse)
				}
				s.End()
			}
		}
	}
}

// takeHalf takes at least a fourth, and at most half, of most bytes as values of one type.
func takeHalf[T any](s *basinscope.Scope, most int) {
	for size := int(unsafe.Sizeof(*new(T))); most >= 2*size; most -= 2 * size {
		basinscope.New[T](s)
	}
}

// TestLittleRoomForValues: chunks of values are not larger than a limit has room for, however large those of earlier
// scopes were.
func TestLittleRoomForValues(t *testing.T) {
	pooltest.Reuses(t) // with full checks, there are no chunks
	for name, take := range map[string]func(*basinscope.Scope, int){
		"8 bytes":   takeHalf[[8]byte],
		"50 bytes":  takeHalf[[50]byte],
		"300 bytes": takeHalf[[300]byte],
		"900 bytes": takeHalf[[900]byte],
		"slices": func(s *basinscope.Scope, most int) {
			for ; most >= 1600; most -= 1600 {
				basinscope.Slice[[100]byte](s, 8)
			}
		},
	} {
		for _, fresh := range []bool{false, true} {
			for most := 2000; most < 80_000; most += most / 2 {
				for range 3 {
					l := &basin.Limit{Name: t.Name(), Max: int64(most)}
					p := &basin.BytePool{Name: t.Name(), Limit: l}
					for limit, s := range map[string]*basinscope.Scope{"Max": {Max: int64(most), Fresh: fresh}, "Limit": {Pool: p, Fresh: fresh}} {
						take(s, most)
						if err := s.Room(most / 16); err != nil || p.Stats().Beyond != 0 {
							t.Errorf("%s, fresh %v, a %s of %d: %v", name, fresh, limit, most, err)
						}
						s.End()
					}
					var large basinscope.Scope
					take(&large, 1<<20)
					large.End()
				}
			}
		}
	}
}
