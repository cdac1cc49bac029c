//go:build go1.25

package guard

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// begin gives the arena a limit for the rest of the test.
func begin(t testing.TB, limit int64) {
	t.Helper()
	if !Available {
		t.Skip("no guarded memory here")
	}
	_, before := Usage()
	SetLimit(limit)
	t.Cleanup(func() { SetLimit(before) })
}

// alloc is Alloc that must not fail.
func alloc(t testing.TB, size int, owner any) []byte {
	t.Helper()
	b, _ := Alloc(size, owner)
	if len(b) != size || cap(b) != size {
		t.Fatalf("Alloc(%d) returned %d bytes", size, len(b))
	}
	return b
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// faultIn returns the address at which f faults, or zero.
func faultIn(t testing.TB, f func()) (at uintptr) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			at = p.Addr()
		default:
			t.Errorf("panic: %v", p)
		}
	}()
	f()
	return 0
}

var sink byte

// TestFaults: arrays of all sizes are zero and accessible to their ends while they are outstanding, and
// neither beyond their ends nor after Free.
func TestFaults(t *testing.T) {
	begin(t, 64<<20)
	for _, size := range []int{1, 7, 16, 64, 80, 512, 528, 4095, 4096, 4097, 4112, 8192, 8208, 12304, 65536, 65552, 1<<20 + 16} {
		for range 3 {
			b := alloc(t, size, size)
			if align := min(size&-size, pageSize); address(b)%uintptr(align) != 0 {
				t.Errorf("%d bytes at %#x, which is no multiple of %d", size, address(b), align)
			}
			for i := range b {
				if b[i] != 0 {
					t.Fatalf("%d bytes: byte %d is %#x", size, i, b[i])
				}
				b[i] = 0xAA
			}
			beyond := unsafe.Slice(unsafe.SliceData(b), size+pageSize)
			for _, i := range []int{size, size + pageSize - 1} {
				if at := faultIn(t, func() { beyond[i] = 1 }); at != address(b)+uintptr(i) {
					t.Errorf("%d bytes: a write at %d faults at %#x, want %#x", size, i, at, address(b)+uintptr(i))
				}
			}
			if a, ok := Find(address(b) + uintptr(size-1)); !ok || a != (Area{address(b), size, Out, size}) {
				t.Errorf("%d bytes: found %+v", size, a)
			}
			if !Free(&b[0], "late") {
				t.Fatalf("%d bytes: not freed", size)
			}
			if Free(unsafe.SliceData(b), "twice") {
				t.Errorf("%d bytes: freed twice", size)
			}
			for _, i := range []int{0, size / 2, size - 1} {
				if at := faultIn(t, func() { sink = b[i] }); at != address(b)+uintptr(i) {
					t.Errorf("%d bytes: a read at %d after Free faults at %#x", size, i, at)
				}
				if at := faultIn(t, func() { b[i] = 1 }); at != address(b)+uintptr(i) {
					t.Errorf("%d bytes: a write at %d after Free faults at %#x", size, i, at)
				}
			}
			if a, ok := Find(address(b) + uintptr(size)); !ok || a != (Area{address(b), size, Late, "late"}) {
				t.Errorf("%d bytes: found %+v", size, a)
			}
		}
	}
	for _, size := range []int{0, -1, 64 << 20, 1 << 62 >> (62 - 30*(1+on64))} {
		if b, _ := Alloc(size, nil); b != nil {
			t.Errorf("Alloc(%d) returned %d bytes", size, len(b))
		}
	}
	heap := new([100]byte)
	if _, ok := Find(uintptr(unsafe.Pointer(heap))); ok || Free(&heap[0], nil) {
		t.Error("memory of the heap is guarded")
	}
	if _, ok := Find(0); ok {
		t.Error("address 0 is guarded")
	}
}

// arraysOf allocates and frees n arrays of a size, and returns their addresses.
func arraysOf(t *testing.T, size, n int) (freed []uintptr) {
	t.Helper()
	for i := range n {
		b := alloc(t, size, i)
		freed = append(freed, address(b))
		Free(&b[0], i)
	}
	return freed
}

// leastDistance returns how many arrays there are at least between two at the same address.
func leastDistance(freed []uintptr) int {
	at := map[uintptr]int{}
	least := len(freed)
	for i, a := range freed {
		if last, ok := at[a]; ok {
			least = min(least, i-last)
		}
		at[a] = i
	}
	return least
}

// TestRecycled: address space is bounded, and arrays freed first are replaced first. A class that comes into use
// late takes over from one that is not used any more, and keeps as many late arrays.
func TestRecycled(t *testing.T) {
	const limit = 16 << 20
	begin(t, limit)
	most := limit / booksShare / int(slotCost)
	for _, size := range []int{3 * 4096 * 7, 4096, 3 * 4096, 128, 200_000, 4096} {
		arraysOf(t, size, 2*most) // takes over
		want := min(most, int(maxSpace)/(classPages(size)+1)/pageSize) * 3 / 4
		if least := leastDistance(arraysOf(t, size, 2*most)); least < want {
			t.Errorf("%d bytes: an address is reused after %d arrays, want %d", size, least, want)
		}
		if used, _ := Usage(); used > limit/booksShare+checksCost+1<<16 {
			t.Errorf("%d bytes: late arrays take %d bytes", size, used)
		}
	}
}

// TestDisplaced: Alloc returns the owner of each late array that Find does not know any more, once.
func TestDisplaced(t *testing.T) {
	const limit = 16 << 20
	begin(t, limit)
	random := rand.New(rand.NewPCG(1, 2))
	type owner struct {
		start   uintptr
		expired bool
	}
	var all []*owner
	for range 40_000 {
		o := &owner{}
		b, displaced := Alloc(16<<random.IntN(10), o)
		if b == nil {
			t.Fatal("no array")
		}
		for _, d := range displaced {
			if d, ok := d.(*owner); ok {
				if d.expired {
					t.Fatal("displaced twice")
				}
				d.expired = true
			}
		}
		o.start = address(b)
		all = append(all, o)
		Free(&b[0], o)
	}
	known := 0
	for _, o := range all {
		a, ok := Find(o.start)
		if !ok {
			t.Fatal("an address is guarded no more")
		}
		if known++; (a.Owner == o) == o.expired {
			t.Fatalf("known %v, expired %v", a.Owner == o, o.expired)
		}
		if o.expired {
			known--
		}
	}
	if most := limit / booksShare / int(slotCost); known > most || known < most/2 {
		t.Errorf("%d late arrays are known, want about %d", known, most)
	}
}

// TestSizesTakeTurns: arrays of a size find memory and address space after any others, although some arrays
// stay outstanding.
func TestSizesTakeTurns(t *testing.T) {
	begin(t, 8<<20)
	var held [][]byte
	for size := 64; size <= 1<<20; size *= 2 {
		for i := range 5000 {
			b, _ := Alloc(size, nil)
			if b == nil {
				t.Fatalf("%d bytes: array %d: nil", size, i)
			}
			if i%2500 == 0 && size <= 1<<15 {
				held = append(held, b)
				continue
			}
			Free(&b[0], nil)
		}
	}
	for _, b := range held {
		b[0]++
		Free(&b[0], nil)
	}
}

// TestAddressSpace: large arrays find space after small ones have taken all, and the other way round.
func TestAddressSpace(t *testing.T) {
	begin(t, 1<<30)
	sizes := []int{1 << 20, 100_000, 8 << 20, 4096}
	if on64 == 0 {
		begin(t, 64<<20)
		sizes = []int{1 << 20, 10_000, 2 << 20, 4096}
	}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		n := int(maxSpace) / (size + pageSize)
		for range min(n, 100_000) + 100 {
			b := alloc(t, size, nil)
			Free(&b[0], nil)
		}
	}
	arena.mu.Lock()
	defer arena.mu.Unlock()
	if arena.space > maxSpace {
		t.Errorf("%d bytes of address space", arena.space)
	}
}

// TestLowerLimit: knowledge of late arrays of a higher limit is given up.
func TestLowerLimit(t *testing.T) {
	begin(t, 64<<20)
	arraysOf(t, 100, 1<<15)
	begin(t, 4<<20)
	for range 2000 {
		b, _ := Alloc(100, nil)
		if b != nil {
			Free(&b[0], nil)
		}
	}
	if used, _ := Usage(); used > 4<<20 {
		t.Errorf("%d bytes", used)
	}
	arraysOf(t, 100, 1)
}

// TestKeep: a kept array is not outstanding, stays accessible, and counts.
func TestKeep(t *testing.T) {
	begin(t, 64<<20)
	before := Count()
	b := alloc(t, 5000, "owner")
	used, _ := Usage()
	if !Keep(&b[0]) || Keep(&b[0]) || Free(&b[0], nil) {
		t.Error("not kept, or twice, or freed")
	}
	if after, _ := Usage(); after != used || Count() != before {
		t.Errorf("%d bytes, %d before; %d outstanding, %d before", after, used, Count(), before)
	}
	for range 10_000 {
		c := alloc(t, 5000, nil)
		Free(&c[0], nil)
	}
	if at := faultIn(t, func() { b[4999]++ }); at != 0 {
		t.Error("a kept array is inaccessible")
	}
	if a, ok := Find(address(b) + 9); !ok || a != (Area{address(b), 5000, Kept, "owner"}) {
		t.Errorf("found %+v", a)
	}
}

// TestLimit: outstanding arrays stay below the limit, whatever their sizes, and late ones do not count.
func TestLimit(t *testing.T) {
	const limit = 32 << 20
	begin(t, limit)
	for _, sizes := range [][]int{{16}, {4112}, {1<<20 + 16}, {16, 100_000, 4096, 1 << 20, 5000}} {
		var held [][]byte
		start, _ := Usage()
		for i := 0; ; i++ {
			b, _ := Alloc(sizes[i%len(sizes)], nil)
			used, _ := Usage()
			if used > limit {
				t.Fatalf("%d: %d bytes used", sizes, used)
			}
			if b == nil {
				break
			}
			clear(b)
			held = append(held, b)
		}
		used, _ := Usage()
		if on64 == 1 && len(held) < maxOutstanding && used < limit-2<<20 { // else address space ends first
			t.Errorf("%d: no more after %d arrays, although only %d bytes are used", sizes, len(held), used)
		}
		for _, b := range held {
			Free(&b[0], nil)
		}
		if after, _ := Usage(); after > start+limit/8 {
			t.Errorf("%d: %d bytes used when all are late", sizes, after)
		}
	}
}

// TestMappings: outstanding arrays cost two mappings each, and late ones none, in any order of Alloc and Free.
func TestMappings(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	begin(t, 1<<30)
	mappings := func() int {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip(err)
		}
		return bytes.Count(maps, []byte("\n"))
	}
	random := rand.New(rand.NewPCG(1, 2))
	before := mappings()
	var held [][]byte
	for i := range 20_000 {
		b := alloc(t, 16<<random.IntN(12)+16, nil)
		b[0], b[len(b)-1] = 1, 1
		if held = append(held, b); len(held) > 1000 {
			i := random.IntN(len(held))
			Free(&held[i][0], nil)
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
		}
		if i%1000 == 0 {
			if n := mappings() - before; n > 2*len(held)+50 {
				t.Fatalf("%d mappings for %d arrays", n, len(held))
			}
		}
	}
	for _, b := range held {
		Free(&b[0], nil)
	}
	if n := mappings() - before; n > 50 {
		t.Errorf("%d mappings for late arrays", n)
	}
}

// TestConcurrent allocates, frees and finds from many goroutines.
func TestConcurrent(t *testing.T) {
	begin(t, 64<<20)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			random := rand.New(rand.NewPCG(uint64(g), 0))
			var held [][]byte
			for range 3000 {
				size := 1 + random.IntN(20_000)
				b, _ := Alloc(size, g)
				if b == nil { // with 32 bits, other tests may have taken all address space
					if on64 > 0 {
						t.Errorf("Alloc(%d) returned nothing", size)
					}
					continue
				}
				b[0], b[size-1] = byte(g), byte(g)
				if held = append(held, b); len(held) == 20 {
					i := random.IntN(20)
					b := held[i]
					if b[0] != byte(g) || b[len(b)-1] != byte(g) {
						t.Error("an array has two users")
					}
					if a, ok := Find(address(b) + uintptr(random.IntN(len(b)))); !ok || a != (Area{address(b), len(b), Out, g}) {
						t.Errorf("found %+v", a)
					}
					Exchange(address(b), g, -g)
					Free(&b[0], -g)
					if a, ok := Find(address(b)); !ok || a.State == Unused {
						t.Errorf("found %+v", a)
					}
					held[i] = held[19]
					held = held[:19]
				}
			}
			for _, b := range held {
				Free(&b[0], nil)
			}
		}()
	}
	wg.Wait()
}

// TestSystemCalls: the kernel does not fault, but refuses late arrays.
func TestSystemCalls(t *testing.T) {
	begin(t, 64<<20)
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.WriteString("some contents of a file")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	server.Write([]byte("some"))
	b := alloc(t, 100, nil)
	Free(&b[0], nil)
	for name, call := range map[string]func([]byte) (int, error){
		"file.WriteAt": func(b []byte) (int, error) { return file.WriteAt(b, 0) },
		"file.ReadAt":  func(b []byte) (int, error) { return file.ReadAt(b[:10], 0) },
		"conn.Write":   client.Write,
		"conn.Read":    client.Read,
		"ReadFull":     func(b []byte) (int, error) { return io.ReadFull(client, b) },
	} {
		var n int
		var err error
		at := faultIn(t, func() { n, err = call(b) })
		if runtime.GOOS == "windows" {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			continue
		}
		if at != 0 || n > 0 || !errors.Is(err, syscall.EFAULT) {
			t.Errorf("%s: %d, %v, fault at %#x; want EFAULT", name, n, err, at)
		}
	}
}

// TestNoCleanup: guarded memory is not in Go's heap, so it can have no cleanup.
func TestNoCleanup(t *testing.T) {
	begin(t, 64<<20)
	b := alloc(t, 100, nil)
	defer Free(&b[0], nil)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	runtime.AddCleanup(&b[0], func(int) {}, 0)
}

func BenchmarkAllocFree(b *testing.B) {
	begin(b, 64<<20)
	for _, size := range []int{528, 4112, 65552} {
		b.Run("", func(b *testing.B) {
			for b.Loop() {
				x, _ := Alloc(size, nil)
				x[0] = 1
				Free(&x[0], nil)
			}
		})
	}
}
