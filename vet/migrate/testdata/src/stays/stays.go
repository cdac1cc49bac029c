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

var passed = &sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `passed stays a sync.Pool: it is passed to a function`

func pass() { take(passed) }

func take(p *sync.Pool) { // want `p stays a sync.Pool: it is a parameter`
	b := p.Get().(*bytes.Buffer)
	p.Put(b)
}

var returned = &sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `returned stays a sync.Pool: it is returned`

func giveBack() *sync.Pool { return returned }

type getter interface{ Get() any }

var behind getter = &sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `this stays a sync.Pool: it is not the value`

var loose = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `loose stays a sync.Pool: the result of Get is not asserted at once`

func unasserted() any { return loose.Get() }

var viaInterface = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `viaInterface stays a sync.Pool: the result of Get is asserted to an interface`

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

var arrayed [4]sync.Pool // want `arrayed keeps its sync.Pools: they are elements, and only variables of a package are replaced`

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

type late struct{ pool sync.Pool } // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`

func newLate() *late {
	l := new(late)
	l.pool.New = func() any { return new(bytes.Buffer) }
	return l
}

func (l *late) get() *bytes.Buffer { return l.pool.Get().(*bytes.Buffer) }

type byPosition struct { // as the value of a field of another type
	any  any
	pool sync.Pool // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`
}

func newByPosition() *byPosition {
	return &byPosition{&sync.Pool{New: func() any { return new(bytes.Buffer) }}, sync.Pool{}} // want `this stays a sync.Pool: it is not the value`
}

func (b *byPosition) get() *bytes.Buffer { return b.pool.Get().(*bytes.Buffer) }

var shared = new(bytes.Buffer)

var sharing = sync.Pool{New: func() any { return shared }} // want `sharing stays a sync.Pool: New does more than make a value: it uses the variable shared`

func share() { sharing.Put(sharing.Get().(*bytes.Buffer)) }

var mixed = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `mixed stays a sync.Pool: it holds values of types \*bytes.Buffer and \[\]byte`

func mix() {
	mixed.Get().(*bytes.Buffer).Reset()
	mixed.Put([]byte{})
}

var asAny = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `asAny stays a sync.Pool: the value put is in an interface`

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

var set sync.Pool // want `set stays a sync.Pool: it has no New, so that Get returns nil when nothing is idle`

func init() {
	set.New = func() any { return new(bytes.Buffer) }
	set.Put(set.Get().(*bytes.Buffer))
}

var none sync.Pool // want `none stays a sync.Pool: it has no New`

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
	pool sync.Pool // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`
	v    T
}

func (t *typed[T]) use() { t.pool.Put(t.pool.Get().(*bytes.Buffer)) }

var parameter = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `parameter stays a sync.Pool: the value put is of a type parameter`

func generic[T any](v T) T {
	parameter.Put(v)
	return parameter.Get().(T)
}

var switched = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `switched stays a sync.Pool: a type switch looks at the result of Get`

func switches() {
	switch switched.Get().(type) {
	}
}

var kept = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `kept stays a sync.Pool: the program asks whether the result of Get is a \*bytes.Buffer`

func keeps() bool {
	b, ok := kept.Get().(*bytes.Buffer)
	b.Reset()
	return ok
}

type pair = sync.Pool

var alias = pair{New: func() any { return new(bytes.Buffer) }} // want `alias stays a sync.Pool: its type is not written as sync.Pool`

func aliased() { alias.Put(alias.Get().(*bytes.Buffer)) }

var compared = &sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `compared stays a sync.Pool: it is compared`

func compare() bool {
	compared.Put(compared.Get().(*bytes.Buffer))
	return compared == passed
}

var replaced = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `replaced stays a sync.Pool: it is used in an assignment`

func replace() {
	replaced.Put(replaced.Get().(*bytes.Buffer))
	replaced = sync.Pool{New: func() any { return new(bytes.Buffer) }}
}

var a, b sync.Pool // want `a stays a sync.Pool: it is declared together with other variables` `b stays a sync.Pool: it is declared together with other variables`

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

var literal = []*sync.Pool{{New: func() any { return new(bytes.Buffer) }}} // want `literal keeps its sync.Pools`

var asked = sync.Pool{New: func() any { return []byte(nil) }} // want `asked stays a sync.Pool: the program asks whether the result of Get is a \[\]byte`

func ask() []byte {
	b, ok := asked.Get().([]byte)
	if !ok {
		panic("cannot be")
	}
	defer asked.Put(b)
	return b
}

var unchecked = sync.Pool{New: func() any { return []byte{} }} // want `unchecked stays a sync.Pool: the result of Get is not asserted at once`

func uncheck() []byte {
	v := unchecked.Get()
	if v == nil {
		println("cannot be")
	}
	unchecked.Put([]byte{})
	return v.([]byte)
}

type counted struct {
	pool sync.Pool // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`
	_    int32
	n    int64
}

var counter = counted{pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}

func counts() int64 {
	counter.pool.Put(counter.pool.Get().(*bytes.Buffer))
	return atomic.AddInt64(&counter.n, 1)
}

// What is looked at after Put would be empty.

var usedAfter = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `usedAfter stays a sync.Pool: b may be used after Put`

func use() string {
	b := usedAfter.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString("x")
	usedAfter.Put(b)
	return b.String()
}

var looked = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `looked stays a sync.Pool: b may be used after Put`

func look() {
	b := looked.Get().(*bytes.Buffer)
	b.Reset()
	defer func() { println(b.String()) }()
	looked.Put(b)
}

var lookedFirst = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `lookedFirst stays a sync.Pool: b may be used after Put`

func lookFirst() {
	b := lookedFirst.Get().(*bytes.Buffer)
	b.Reset()
	defer func() { println(b.String()) }()
	defer lookedFirst.Put(b)
}

var wrapped = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `wrapped stays a sync.Pool: b may be used after Put`

func getWrapped() *bytes.Buffer { return wrapped.Get().(*bytes.Buffer) }

func putWrapped(b *bytes.Buffer) {
	b.Reset()
	wrapped.Put(b)
}

func useWrapped() string {
	b := getWrapped()
	putWrapped(b)
	if b.Len() > 0 {
		return "x"
	}
	return ""
}

var nextRound = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `nextRound stays a sync.Pool: b may be used after Put`

func round(n int) {
	b := nextRound.Get().(*bytes.Buffer)
	b.Reset()
	for range n {
		b.WriteString("x")
		nextRound.Put(b)
	}
}

var returnedDeferred = sync.Pool{New: func() any { return make([]byte, 100) }} // want `returnedDeferred stays a sync.Pool: b may be used after Put`

func returnDeferred() []byte {
	b := returnedDeferred.Get().([]byte)
	defer returnedDeferred.Put(b)
	return b[:10]
}

var jumped = sync.Pool{New: func() any { return new([]byte) }} // want `jumped stays a sync.Pool: b may be used after Put`

func jump(b *[]byte, skip bool) {
	if skip {
		goto put
	}
	*b = (*b)[:0]
put:
	jumped.Put(b)
	jumped.Put(jumped.Get().(*[]byte))
}

var fallsThrough = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `fallsThrough stays a sync.Pool: b may be used after Put`

func fallThrough() {
	b := fallsThrough.Get().(*bytes.Buffer)
	b.Reset()
	switch {
	case b.Len() == 0:
		fallsThrough.Put(b)
		fallthrough
	case b.Len() > 100:
		println(b.Len())
	}
}

// One for each connection would be too much.

type conn struct {
	pool sync.Pool // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`
}

func (c *conn) get() []byte {
	if b, ok := c.pool.Get().([]byte); ok {
		return b
	}
	return make([]byte, 10)
}

func serve() { (&conn{}).get() }

type session struct {
	pool *sync.Pool // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`
}

func newSession() *session {
	return &session{&sync.Pool{New: func() any { return make([]byte, 10) }}}
}

func (s *session) use() { s.pool.Put(s.pool.Get().([]byte)) }

// For some types they are pools of buffers.

type free[T any] struct {
	pool sync.Pool // want `pool stays a sync.Pool: it is a field, and only variables of a package are replaced`
}

func (f *free[T]) get() []T  { return f.pool.Get().([]T) }
func (f *free[T]) put(s []T) { f.pool.Put(s) }

var copying = sync.Pool{New: func() any { // want `copying stays a sync.Pool: New does more than make a value: it calls copy`
	b := make([]byte, 10)
	copy(b, "text")
	return b
}}
