//go:build go1.25

package guard

import (
	"sync"
	"syscall"
	"unsafe"
)

// Available reports whether there is guarded memory on this system.
const Available = true

// Freed arrays stay inaccessible until maxFreed others, or maxFreedBytes, have been freed. The
// kernel allows a process 65530 mappings.
const (
	maxFreed      = 8192
	maxFreedBytes = 1 << 30 // of address space: the pages themselves go back at once
	maxAlloced    = 16384
)

// A region is the mapping of one array.
type region struct {
	mapping []byte
	array   uintptr
}

var (
	mu         sync.Mutex
	alloced    = make(map[uintptr]region) // by address of the array
	freed      []region                   // in the order in which they were freed
	freedBytes int
)

// Alloc returns size zero bytes. Their address is a multiple of the largest power of two that divides
// size, up to 8 KiB. The Go allocator aligns arrays likewise, so a pool accepts guarded arrays as
// its own after checks were turned off. Alloc returns nil if the kernel refuses, or if maxAlloced
// arrays have not been freed.
func Alloc(size int) []byte {
	const align = 8 << 10
	page := syscall.Getpagesize()
	body := (size + page - 1) &^ (page - 1)
	slack := max(0, align-page)
	mu.Lock()
	defer mu.Unlock()
	if len(alloced) >= maxAlloced {
		return nil
	}
	m, err := syscall.Mmap(-1, 0, body+page+slack, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	end := body
	if start := uintptr(unsafe.Pointer(unsafe.SliceData(m))) + uintptr(body-size); start&uintptr(min(size&-size, align)-1) != 0 {
		end += slack
	}
	if err := syscall.Mprotect(m[end:], syscall.PROT_NONE); err != nil {
		syscall.Munmap(m)
		return nil
	}
	b := m[end-size : end : end]
	a := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	alloced[a] = region{m, a}
	return b
}

// Free makes the array at x inaccessible. It calls forget with the addresses of arrays that it
// unmaps, before these addresses can be reused.
func Free(x *byte, forget func(array uintptr)) {
	mu.Lock()
	defer mu.Unlock()
	a := uintptr(unsafe.Pointer(x))
	r, ok := alloced[a]
	if !ok {
		return
	}
	delete(alloced, a)
	// If the kernel refuses because the process has too many mappings, the array stays accessible.
	syscall.Madvise(r.mapping, syscall.MADV_DONTNEED) // its pages go back at once
	syscall.Mprotect(r.mapping, syscall.PROT_NONE)
	freed = append(freed, r)
	freedBytes += len(r.mapping)
	for len(freed) > maxFreed || freedBytes > maxFreedBytes {
		r := freed[0]
		freed[0] = region{}
		freed = freed[1:]
		freedBytes -= len(r.mapping)
		forget(r.array)
		syscall.Munmap(r.mapping)
	}
}
