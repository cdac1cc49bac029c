//go:build go1.25

package basin

import (
	"bytes"
	"cmp"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"github.com/basin-go/basin/internal/engine"
	"github.com/basin-go/basin/internal/misuse"
	"github.com/basin-go/basin/internal/quota"
)

// This file looks for arrays of pools under a limit in pools of the kinds that may have them idle: see strays.go. It is
// apart, because it stands above all these kinds.
//
// A Pool[T] is not searched. Its values may refer to slices of another pool by right: its New may have got
// them there, and its Drop may put them back.

func init() { lookElsewhere, holdersOf, endDead = lookIntoAll, (*overseer).holders, endAllDead }

// lookIntoAll takes arrays of pools that draw from q out of all other pools, where they are idle, and reports
// whether there was one.
func lookIntoAll(q *quota.Quota) (found bool) {
	for q.Within() != nil {
		q = q.Within()
	}
	var in owners
	var others []searched
	pools.Each(func(p any) {
		if p, ok := p.(*BytePool); ok && p.ledger != nil && p.quota.LiesIn(q) {
			in = append(in, p.ledger)
		}
		if p, ok := p.(searched); ok {
			others = append(others, p)
		}
	})
	for _, p := range others {
		found = p.search(in) || found
	}
	return found
}

// A searched is a pool that may have arrays of other pools idle. lookIntoAll does not name the kinds, because the linker
// would then keep those that a program does not use.
type searched interface {
	// search takes arrays of the owners out of the pool, and reports whether there was one.
	search(in owners) (found bool)
}

func (p *BytePool) search(in owners) bool {
	allowed := func(l *ledger) bool { return p.adopts || l.allowed(p.owner(p.Name)) }
	return takeFrom(in.without(p.ledger), p.Name, allowed, &p.engine, p.ledger != nil, func(x *byte) *byte { return x })
}

func (p *BufferPool) search(in owners) bool {
	// Its storage may be an idle array of the pool that its Buffers grow through: see newBase.
	from := cmp.Or(p.Bytes, builtin)
	allowed := func(l *ledger) bool { return l.allowed(from.owner(from.Name)) }
	return takeFrom(in, p.Name, allowed, &p.engine, true, storageOf)
}

func (p *StdBufferPool) search(in owners) bool {
	return takeFrom(in, p.Name, func(*ledger) bool { return false }, &p.engine, true, stdStorageOf)
}

// holders returns the names of the pools whose memory counts towards the quota.
func (o *overseer) holders() map[string]bool {
	names := map[string]bool{o.name: o.kind != "Limit"}
	pools.Each(func(p any) {
		if p, ok := p.(*BytePool); ok && p.ledger != nil && p.quota.LiesIn(o.quota) {
			names[p.owner(p.Name).Name] = true
		}
	})
	return names
}

// takeFrom is lookIntoAll for arrays of the owners in one pool, of the given name, with engine e. own is as for
// Retrieve. storage returns the array of an item, which may be in use by others, and of which it must read only
// one word. Nothing is said where the pool may have the arrays.
func takeFrom[T any](in owners, name string, allowed func(*ledger) bool, e *engine.Engine[T], own bool, storage func(T) *byte) (found bool) {
	strays := make(map[*ledger][]misuse.Finding)
	for _, r := range e.Retrieve(own, func(_ uint, item T) bool { return in.lend(storage(item)) }) {
		if a, ok := lentAt(storage(r.Item)); ok && a.free(nil) {
			strays[a.pool] = append(strays[a.pool], a.found())
		}
		runtime.KeepAlive(r.Item)
	}
	for l, of := range strays {
		found = true
		if !allowed(l) {
			l.tell(name, of...)
		}
	}
	return found
}

// owners are the ledgers whose arrays a search looks for.
type owners []*ledger

// without returns the owners without l.
func (in owners) without(l *ledger) owners {
	return slices.DeleteFunc(slices.Clone(in), func(o *ledger) bool { return o == l })
}

// lend reports whether an outstanding array of one of the owners begins at x, and no part of it has been adopted.
func (in owners) lend(x *byte) bool {
	a := uintptr(unsafe.Pointer(x))
	for _, l := range in { // this takes no lock
		if l.arrays.HasAddress(a) || l.outside.has(a) {
			of, ok := lentAt(x)
			return ok && slices.Contains(in, of.pool) && !of.shared
		}
	}
	return false
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
