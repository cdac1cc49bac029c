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

// TestRecycled: address space is bounded, and arrays freed first are reused first.
func TestRecycled(t *testing.T) {
	begin(t, 64<<20)
	const size = 3 * 4096 * 7 // a class that no other test uses
	var freed []uintptr
	for i := range 2 * maxSlots {
		b, before := Alloc(size, i)
		if b == nil {
			t.Fatalf("array %d: nil", i)
		}
		if before, ok := before.(int); ok && address(b) != freed[before] {
			t.Fatalf("array %d is at %#x, and not where the array was that it replaces", i, address(b))
		}
		freed = append(freed, address(b))
		Free(&b[0], i)
	}
	distance := map[uintptr]int{}
	least := len(freed)
	for i, a := range freed {
		if last, ok := distance[a]; ok {
			least = min(least, i-last)
		}
		distance[a] = i
	}
	if len(distance) == len(freed) {
		t.Error("no address is reused")
	}
	if want := min(maxSlots, int(classSpace)/(classPages(size)+1)/pageSize); least < want*15/16 {
		t.Errorf("an address is reused after %d arrays, want %d", least, want)
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
