//go:build go1.25

package basin

import (
	"bytes"
	"cmp"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
)

// This file looks for a ledger's arrays in pools of the kinds that may have them idle: see strays.go. It is
// apart, because it stands above all these kinds.
//
// A Pool[T] is not searched. Its values may refer to slices of another pool by right: its New may have got
// them there, and its Drop may put them back.

func init() { lookElsewhere = lookIntoAll }

// lookIntoAll takes idle arrays of l out of all other pools, and reports whether there was one.
func lookIntoAll(l *ledger) (found bool) {
	var others []any
	pools.Each(func(p any) {
		switch p := p.(type) {
		case *BytePool:
			if p.ledger != l {
				others = append(others, p)
			}
		case *BufferPool, *StdBufferPool:
			others = append(others, p)
		}
	})
	for _, p := range others {
		switch p := p.(type) {
		case *BytePool:
			allowed := p.adopts || l.allowed(p.owner(p.Name))
			found = takeFrom(l, p.Name, allowed, &p.engine, p.ledger != nil, func(x *byte) *byte { return x }) || found
		case *BufferPool:
			// Its storage may be an idle array of the pool that its Buffers grow through: see newBase.
			from := cmp.Or(p.Bytes, builtin)
			allowed := l.allowed(from.owner(from.Name))
			found = takeFrom(l, p.Name, allowed, &p.engine, true, storageOf) || found
		case *StdBufferPool:
			found = takeFrom(l, p.Name, false, &p.engine, true, stdStorageOf) || found
		}
	}
	return found
}

// takeFrom is lookIntoAll for one pool, of the given name, with engine e. own is as for Retrieve. storage
// returns the array of an item, which may be in use by others, and of which it must read only one word.
// Nothing is said if the pool may have the arrays.
func takeFrom[T any](l *ledger, name string, allowed bool, e *engine.Engine[T], own bool, storage func(T) *byte) bool {
	var strays []misuse.Finding
	for _, r := range e.Retrieve(own, func(_ uint, item T) bool { return l.lends(storage(item)) }) {
		if a, ok := lentAt(storage(r.Item)); ok && a.free(nil) {
			strays = append(strays, a.found())
		}
		runtime.KeepAlive(r.Item)
	}
	if !allowed {
		l.tell(name, strays...)
	}
	return len(strays) > 0
}

// lends reports whether an outstanding array of l begins at x, and no part of it has been adopted.
func (l *ledger) lends(x *byte) bool {
	if a := uintptr(unsafe.Pointer(x)); !l.arrays.HasAddress(a) && !l.outside.has(a) { // this takes no lock
		return false
	}
	a, ok := lentAt(x)
	return ok && a.pool == l && !a.shared
}

// storageOf returns the storage of an idle handle.
func storageOf(b *Buffer) *byte {
	if b == nil {
		return nil
	}
	return unsafe.SliceData(b.buf)
}

// A bytes.Buffer begins with its storage in all versions of Go so far. If a later one does not, searches
// leave it out. Its methods read several words, and could panic if another goroutine uses it.
var stdBegins = func() bool {
	f := reflect.TypeFor[bytes.Buffer]().Field(0)
	return f.Name == "buf" && f.Type == reflect.TypeFor[[]byte]()
}()

// stdStorageOf returns the storage of an idle bytes.Buffer.
func stdStorageOf(b *bytes.Buffer) *byte {
	if b == nil || !stdBegins {
		return nil
	}
	return *(**byte)(unsafe.Pointer(b))
}
