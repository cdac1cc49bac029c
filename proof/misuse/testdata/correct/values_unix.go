//go:build go1.25 && (linux || darwin)

package correct

import (
	"syscall"
	"unsafe"

	"github.com/basin-go/basin"
)

func init() {
	// As C.malloc would, this returns memory that is not Go's.
	mapped := &basin.Pool[*item]{New: func() *item {
		m, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			panic(err)
		}
		return (*item)(unsafe.Pointer(&m[0]))
	}}
	add("values in memory that is not Go's", func() { x := mapped.Get(); x.n++; mapped.Put(x) })
	add("values in memory that is not Go's, which is given back", func() {
		m, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		must(err == nil)
		p := &basin.Pool[*item]{New: func() *item { return (*item)(unsafe.Pointer(&m[0])) }}
		x, y := p.Get(), p.Get()
		p.Put(x)
		p.Put(y)
		must(syscall.Munmap(m) == nil)
	})
}
