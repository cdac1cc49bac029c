//go:build go1.25 && (linux || darwin)

package guard

import (
	"math"
	"syscall"
	"unsafe"
)

// Available reports whether there is guarded memory on this system.
const Available = true

// reserved are the flags of memory without contents. Mappings with other flags do not become one.
const reserved = syscall.MAP_ANON | syscall.MAP_PRIVATE | syscall.MAP_NORESERVE

// reserve returns inaccessible memory, or nil if the kernel refuses.
func reserve(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_NONE, reserved)
	if err != nil {
		return nil
	}
	return b
}

// open makes b accessible, and reports false if the kernel refuses.
func open(b []byte) bool {
	return syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE) == nil
}

// shut makes b inaccessible, and gives back its memory. If the kernel refuses because the process has
// too many mappings, b stays accessible.
func shut(b []byte) {
	// A new mapping in place of the old one does both in one call. It also merges with its
	// neighbours, which a mapping that has had contents does not always do.
	//
	// This is sound because b is memory of reserve alone, outside the Go heap.
	if mmap != 0 {
		_, _, err := syscall.Syscall6(mmap, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
			syscall.PROT_NONE, reserved|syscall.MAP_FIXED, ^uintptr(0), 0)
		if err == 0 {
			return
		}
	}
	discard(b)
	syscall.Mprotect(b, syscall.PROT_NONE)
}

// addressSpace returns the most address space that the process may have.
func addressSpace() int64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil {
		return math.MaxInt64
	}
	return int64(min(uint64(limit.Cur), math.MaxInt64))
}
