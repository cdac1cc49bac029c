package stays

import (
	"bytes"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

var Exported = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `Exported stays a sync.Pool: it is exported`

func exported() { Exported.Put(Exported.Get().(*bytes.Buffer)) }

var escapes = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `escapes stays a sync.Pool: its address is taken`

func escape() *sync.Pool {
	escapes.Put(escapes.Get().(*bytes.Buffer))
	return &escapes
}

var passed = &sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `passed stays a sync.Pool: it is an argument`

func pass() { take(passed) }

func take(p *sync.Pool) { // want `p stays a sync.Pool: it is a parameter`
	b := p.Get().(*bytes.Buffer)
	p.Put(b)
}

var returned = &sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `returned stays a sync.Pool: it is returned`

func giveBack() *sync.Pool { return returned }

type getter interface{ Get() any }

var behind getter = &sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `this stays a sync.Pool: it is not the value`

var loose = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `loose stays a sync.Pool: what Get returns is not asserted at once`

func unasserted() any { return loose.Get() }

var viaInterface = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `viaInterface stays a sync.Pool: what Get returns is used through an interface`

func through() io.Writer { return viaInterface.Get().(io.Writer) }

var made int

var counting = sync.Pool{New: func() any { // want `counting stays a sync.Pool: New does more than make a value: an assignment`
	made++
	return new(bytes.Buffer)
}}

func count() { counting.Put(counting.Get().(*bytes.Buffer)) }

var calling = sync.Pool{New: func() any { return create() }} // want `calling stays a sync.Pool: New does more than make a value: it calls create`

func create() *bytes.Buffer { os.Stdout.WriteString("made"); return new(bytes.Buffer) }

func call() { calling.Put(calling.Get().(*bytes.Buffer)) }

var byName = sync.Pool{New: newBytes} // want `byName stays a sync.Pool: its New is not a function literal`

func newBytes() any { return make([]byte, 100) }

func name() { byName.Put(byName.Get().([]byte)) }

var byVariable = sync.Pool{New: newBuffer} // want `byVariable stays a sync.Pool: its New is not a function literal`

var newBuffer = func() any { return new(bytes.Buffer) }

func variable() { byVariable.Put(byVariable.Get().(*bytes.Buffer)) }

var namedCounts = sync.Pool{New: newCounted} // want `namedCounts stays a sync.Pool: New does more than make a value: an assignment`

func newCounted() any {
	made++
	return new(bytes.Buffer)
}

func named() { namedCounts.Put(namedCounts.Get().(*bytes.Buffer)) }

var namedFull = sync.Pool{New: newFull} // want `namedFull stays a sync.Pool: its New is not a function literal`

func newFull() any { return bytes.NewBufferString("full") }

func full() { namedFull.Put(namedFull.Get().(*bytes.Buffer)) }

var arrayed [4]sync.Pool // want `arrayed keeps its sync.Pools: they are elements of an array, a slice or a map`

func element(i int) []byte {
	b, ok := arrayed[i].Get().([]byte)
	if !ok {
		b = make([]byte, 1<<i)
	}
	defer arrayed[i].Put(b)
	return b
}

var sliced = []*sync.Pool{{New: func() any { return new(bytes.Buffer) }}} // want `sliced keeps its sync.Pools`

func fromSlice() { sliced[0].Put(sliced[0].Get().(*bytes.Buffer)) }

type mapping struct {
	pools map[string][]*sync.Pool // want `pools keeps its sync.Pools`
}

func (m *mapping) get(key string) *bytes.Buffer { return m.pools[key][0].Get().(*bytes.Buffer) }

var numbers [2]sync.Pool // no buffers

func number() int { return numbers[0].Get().(int) }

type late struct{ pool sync.Pool } // want `pool stays a sync.Pool: its New is used apart from where it is made`

func newLate() *late {
	l := new(late)
	l.pool.New = func() any { return new(bytes.Buffer) }
	return l
}

func (l *late) get() *bytes.Buffer { return l.pool.Get().(*bytes.Buffer) }

type byPosition struct { // as the value of a field of another type
	any  any
	pool sync.Pool // want `pool stays a sync.Pool: it has no New`
}

func newByPosition() *byPosition {
	return &byPosition{&sync.Pool{New: func() any { return new(bytes.Buffer) }}, sync.Pool{}} // want `this stays a sync.Pool: it is not the value`
}

func (b *byPosition) get() *bytes.Buffer { return b.pool.Get().(*bytes.Buffer) }

var shared = new(bytes.Buffer)

var sharing = sync.Pool{New: func() any { return shared }} // want `sharing stays a sync.Pool: New does more than make a value: it has the variable shared`

func share() { sharing.Put(sharing.Get().(*bytes.Buffer)) }

var mixed = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `mixed stays a sync.Pool: it holds values of types \*bytes.Buffer and \[\]byte`

func mix() {
	mixed.Get().(*bytes.Buffer).Reset()
	mixed.Put([]byte{})
}

var asAny = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `asAny stays a sync.Pool: what is put is in an interface`

func puts(v any) {
	asAny.Get().(*bytes.Buffer).Reset()
	asAny.Put(v)
}

var putNil = sync.Pool{New: func() any { return []byte{} }} // want `putNil stays a sync.Pool: nil is put`

func nils() {
	_ = putNil.Get().([]byte)
	putNil.Put(nil)
}

var method = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `method stays a sync.Pool: its method Put is used as a value`

func value() func(any) {
	method.Get().(*bytes.Buffer).Reset()
	return method.Put
}

var set sync.Pool // want `set stays a sync.Pool: its New is used apart from where it is made`

func init() {
	set.New = func() any { return new(bytes.Buffer) }
	set.Put(set.Get().(*bytes.Buffer))
}

var none sync.Pool // want `none stays a sync.Pool: it has no New, and the value of Get is not compared with nil`

func noNew() { none.Put(none.Get().(*bytes.Buffer)) }

func local() {
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `pool stays a sync.Pool: it is a local variable`
	pool.Put(pool.Get().(*bytes.Buffer))
}

type embeds struct {
	sync.Pool // want `Pool stays a sync.Pool: it is embedded`
}

var e = embeds{sync.Pool{New: func() any { return new(bytes.Buffer) }}}

var f = embeds{Pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}

type typed[T any] struct {
	pool sync.Pool // want `pool stays a sync.Pool: its type has type parameters`
	v    T
}

func (t *typed[T]) use() { t.pool.Put(t.pool.Get().(*bytes.Buffer)) }

var parameter sync.Pool // not of buffers, as far as one sees

func generic[T any](v T) T {
	parameter.Put(v)
	return parameter.Get().(T)
}

var switched = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `switched stays a sync.Pool: a type switch looks at what Get returns`

func switches() {
	switch switched.Get().(type) {
	}
}

var kept = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `kept stays a sync.Pool: whether Get has found something is used in a way that is not known`

func keeps() bool {
	b, ok := kept.Get().(*bytes.Buffer)
	b.Reset()
	return ok
}

type pair = sync.Pool

var alias = pair{New: func() any { return new(bytes.Buffer) }} // want `alias stays a sync.Pool: its type has another name`

func aliased() { alias.Put(alias.Get().(*bytes.Buffer)) }

var compared = &sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `compared stays a sync.Pool: it is compared`

func compare() bool {
	compared.Put(compared.Get().(*bytes.Buffer))
	return compared == passed
}

var replaced = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `replaced stays a sync.Pool: it is assigned to`

func replace() {
	replaced.Put(replaced.Get().(*bytes.Buffer))
	replaced = sync.Pool{New: func() any { return new(bytes.Buffer) }}
}

var a, b sync.Pool // want `a stays a sync.Pool: it is declared together with others` `b stays a sync.Pool: it is declared together with others`

func ab() {
	v := a.Get()
	if v != nil {
		b.Put(v.([]byte))
	}
	if w := b.Get(); w != nil {
		a.Put(w.([]byte))
	}
}

var readers = sync.Pool{New: func() any { return new(bytes.Reader) }} // no buffers

func read() { readers.Put(readers.Get().(*bytes.Reader)) }

var resulting = sync.Pool{New: func() (v any) { return new(bytes.Buffer) }} // want `resulting stays a sync.Pool: New has a named result`

func result() { resulting.Put(resulting.Get().(*bytes.Buffer)) }

var literal = []*sync.Pool{{New: func() any { return new(bytes.Buffer) }}}

var asked = sync.Pool{New: func() any { return []byte(nil) }} // want `asked stays a sync.Pool: it has New, and yet the program asks whether Get has found something`

func ask() []byte {
	b, ok := asked.Get().([]byte)
	if !ok {
		panic("cannot be")
	}
	defer asked.Put(b)
	return b
}

var unchecked sync.Pool // want `unchecked stays a sync.Pool: it has no New, and the value of Get is not compared with nil`

func uncheck() []byte {
	v := unchecked.Get()
	unchecked.Put([]byte{})
	return v.([]byte)
}

type counted struct {
	pool sync.Pool // want `pool stays a sync.Pool: the field n behind it may lose its alignment on 32 bits`
	_    int32
	n    int64
}

var counter = counted{pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}

func counts() int64 {
	counter.pool.Put(counter.pool.Get().(*bytes.Buffer))
	return atomic.AddInt64(&counter.n, 1)
}
