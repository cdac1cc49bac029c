//go:build go1.25

package guard

import (
	"math"
	"syscall"
	"unsafe"
)

// Available reports whether there is guarded memory on this system.
const Available = true

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	virtualAlloc = kernel32.NewProc("VirtualAlloc")
	virtualFree  = kernel32.NewProc("VirtualFree")
)

const (
	memCommit     = 0x1000
	memReserve    = 0x2000
	memDecommit   = 0x4000
	pageNoAccess  = 0x01
	pageReadWrite = 0x04
)

// reserve returns inaccessible memory, or nil if the kernel refuses.
func reserve(n int) []byte {
	at, _, _ := virtualAlloc.Call(0, uintptr(n), memReserve, pageNoAccess)
	if at == 0 {
		return nil
	}
	// The conversion is sound because the memory is outside the Go heap and is never released. It
	// goes through memory because vet takes at for the address of a Go object.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n)
}

// open makes b accessible, and reports false if the kernel refuses.
func open(b []byte) bool {
	at, _, _ := virtualAlloc.Call(uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), memCommit, pageReadWrite)
	return at != 0
}

// shut makes b inaccessible, and gives back its memory.
func shut(b []byte) {
	virtualFree.Call(uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), memDecommit)
}

// addressSpace returns the most address space that the process may have.
func addressSpace() int64 { return math.MaxInt64 }
