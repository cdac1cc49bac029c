// Package limits has the usual tests of the capacity before a Put. The names of pools are the limits that they have.
package limits

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
)

const (
	maxSize        = 16 << 20
	maxTyped int64 = 1 << 10
)

var (
	ofName  = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `ofName becomes a basin.Pool\[\*bytes.Buffer\]$`
	ofTyped = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `ofTyped becomes a basin.Pool\[\*bytes.Buffer\]$`
	of1     = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of1 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of2     = sync.Pool{New: func() any { return new([]byte) }}       // want `of2 becomes a basin.Pool\[\*\[\]byte\]$`
	of3     = sync.Pool{New: func() any { return []byte(nil) }}       // want `of3 becomes a basin.Pool\[\[\]byte\]$`
	of4     = sync.Pool{New: func() any { return new([]byte) }}       // want `of4 becomes a basin.Pool\[\*\[\]byte\]$`
	of5     = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of5 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of6     = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of6 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of7     = sync.Pool{New: func() any { return new([]byte) }}       // want `of7 becomes a basin.Pool\[\*\[\]byte\]$`
	of8     = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of8 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of9     = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of9 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of10    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of10 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of11    = sync.Pool{New: func() any { return new([]byte) }}       // want `of11 becomes a basin.Pool\[\*\[\]byte\]$`
	of12    = sync.Pool{New: func() any { return []byte(nil) }}       // want `of12 becomes a basin.Pool\[\[\]byte\]$`
	of13    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of13 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of14    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of14 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of15    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of15 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of16    = sync.Pool{New: func() any { return []byte(nil) }}       // want `of16 becomes a basin.Pool\[\[\]byte\]$`
	of17    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of17 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of18    = sync.Pool{New: func() any { return new([]byte) }}       // want `of18 becomes a basin.Pool\[\*\[\]byte\]$`
	of19    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of19 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of20    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of20 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of21    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `of21 becomes a basin.Pool\[\*bytes.Buffer\]$`
	of22    = sync.Pool{New: func() any { return new([]byte) }}       // want `of22 becomes a basin.Pool\[\*\[\]byte\]$`
	of23    = sync.Pool{New: func() any { return []byte(nil) }}       // want `of23 becomes a basin.Pool\[\[\]byte\]$`
)

// As in a driver of databases.
func name(in []byte) int {
	b := ofName.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() < maxSize && b.Cap()/2 < b.Len() {
			ofName.Put(b)
		}
	}()
	b.Reset()
	b.Write(in)
	return b.Len()
}

func typed(b *bytes.Buffer) {
	ofTyped.Get().(*bytes.Buffer).Reset()
	if int64(b.Cap()) <= maxTyped {
		ofTyped.Put(b)
	}
}

func put1(b *bytes.Buffer) {
	of1.Get().(*bytes.Buffer).Reset()
	if b.Cap() > 1<<20 {
		return
	}
	b.Reset()
	of1.Put(b)
}

func put2(p *[]byte) {
	_ = len(*of2.Get().(*[]byte))
	if cap(*p) > 2<<20 {
		return
	}
	*p = (*p)[:0]
	of2.Put(p)
}

func put3(b []byte) {
	b = append(b, of3.Get().([]byte)...)
	if c := cap(b); c <= 3<<20 {
		of3.Put(b[:0])
	}
}

func put4(in []byte) {
	p := of4.Get().(*[]byte)
	b := append((*p)[:0], in...)
	if cap(b) <= 4<<20 {
		*p = b
		of4.Put(p)
	}
}

// Only its callers look.
func put5(b *bytes.Buffer) {
	b.Reset()
	of5.Put(b)
}

func use5(in []byte) {
	b := of5.Get().(*bytes.Buffer)
	b.Write(in)
	if !(b.Cap() > 5<<20) {
		put5(b)
	}
	c := of5.Get().(*bytes.Buffer)
	c.Write(in)
	if c.Cap() > 5<<20-1 {
		return
	}
	put5(c)
}

func small6(b *bytes.Buffer) bool { return b != nil && b.Cap() <= 6<<20 }

func put6(b *bytes.Buffer) {
	of6.Get().(*bytes.Buffer).Reset()
	if small6(b) {
		of6.Put(b)
	}
}

func large7(n int) bool { return n > 7<<20 }

func put7(b *[]byte) {
	_ = len(*of7.Get().(*[]byte))
	if b == nil || large7(cap(*b)) {
		return
	}
	of7.Put(b)
}

var dropped8 atomic.Int64

func put8(b *bytes.Buffer) {
	of8.Get().(*bytes.Buffer).Reset()
	switch {
	case b.Cap() > 8<<20:
		dropped8.Add(1)
	default:
		b.Reset()
		of8.Put(b)
	}
}

func put9(b *bytes.Buffer) {
	of9.Get().(*bytes.Buffer).Reset()
	if b.Cap() > 9<<20 {
		b = new(bytes.Buffer)
	}
	of9.Put(b)
}

func put10(b *bytes.Buffer) {
	of10.Get().(*bytes.Buffer).Reset()
	if 10<<20 < b.Cap() {
		*b = bytes.Buffer{}
	} else {
		b.Reset()
	}
	of10.Put(b)
}

func put11(p *[]byte) {
	_ = len(*of11.Get().(*[]byte))
	if cap(*p) > 11<<20 {
		*p = nil
	}
	of11.Put(p)
}

const page12 = 12 << 20

func put12(b []byte) {
	b = append(b, of12.Get().([]byte)...)
	if cap(b) != page12 {
		return
	}
	of12.Put(b)
}

type encoder struct {
	buf *bytes.Buffer
	n   int
}

func (e *encoder) close() {
	e.buf = of13.Get().(*bytes.Buffer)
	if e.buf.Cap() <= 13<<20 {
		e.n = 0
		e.buf.Reset()
		of13.Put(e.buf)
	}
	e.buf = nil
}

func put14(b *bytes.Buffer, closed bool) {
	of14.Get().(*bytes.Buffer).Reset()
	tooLarge := b.Cap() > 14<<20
	if tooLarge || closed {
		return
	}
	of14.Put(b)
}

func put15(b *bytes.Buffer) {
	of15.Get().(*bytes.Buffer).Reset()
	switch {
	case b == nil:
		return
	case b.Cap() > 15<<20:
		return
	}
	of15.Put(b)
}

func put16(in []byte) {
	b := of16.Get().([]byte)
	for _, c := range in {
		b = append(b, c)
		if cap(b) > 16<<20 {
			continue
		}
		of16.Put(b[:0])
		b = nil
	}
}

// Two Puts, with two limits.
func put17(b, c *bytes.Buffer) {
	of17.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= 17<<20 {
		of17.Put(b)
	}
	if c.Cap() <= 1<<20 {
		of17.Put(c)
	}
}

func put18(in []byte) {
	b := append([]byte(nil), in...)
	_ = len(*of18.Get().(*[]byte))
	if size := cap(b); size > 18<<20 {
		return
	}
	p := &b
	of18.Put(p)
}

func put19(b *bytes.Buffer, keep func() bool) {
	of19.Get().(*bytes.Buffer).Reset()
	if keep() && b.Cap() <= 19<<20 {
		of19.Put(b)
	}
}

// The limit of what is in the buffer is no limit of its capacity, but that of each way is.
func put20(b *bytes.Buffer) {
	of20.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= 1<<20 || b.Cap() <= 20<<20 && b.Len() > 1<<20 {
		of20.Put(b)
	}
}

// Variables that nobody sets again are as good as constants.
var first, limitForAll = 1, 21 << 20

func put21(b *bytes.Buffer) {
	of21.Get().(*bytes.Buffer).Reset()
	if limitForAll >= b.Cap() {
		of21.Put(b)
	}
}

func put22(p *[]byte) {
	*p = append(*p, *of22.Get().(*[]byte)...)
	most := 22 << 10
	if cap(*p) > most {
		return
	}
	of22.Put(p)
}

func put23(b []byte) int {
	b = append(b, of23.Get().([]byte)...)
	if (limitRead) > cap(b) {
		of23.Put(b)
	}
	return limitRead + first
}

var limitRead = 23 << 10

// None of these has a limit, as far as is known.
var (
	grows     = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `grows becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	late      = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `late becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	length    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `length becomes a basin.BufferPool; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	either    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `either becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	atLeast   = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `atLeast becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	variable  = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `variable becomes a basin.Pool\[\*bytes.Buffer\]; its limit is a variable, which other packages may set, so it keeps values of up to 2 GiB, and 32 GiB in all`
	counted   = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `counted becomes a basin.Pool\[\*bytes.Buffer\]; its limit is a variable, which limits.go:381 may set, so it keeps values of up to 2 GiB, and 32 GiB in all`
	given     = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `given becomes a basin.Pool\[\*bytes.Buffer\]; its limit is a variable, which limits.go:389 may set, so it keeps values of up to 2 GiB, and 32 GiB in all`
	local     = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `local becomes a basin.Pool\[\*bytes.Buffer\]; its limit is a variable, which limits.go:396 may set, so it keeps values of up to 2 GiB, and 32 GiB in all`
	computed  = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `computed becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	part      = sync.Pool{New: func() any { return []byte(nil) }}       // want `part becomes a basin.Pool\[\[\]byte\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	another   = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `another becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	sometimes = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `sometimes becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	narrow    = sync.Pool{New: func() any { return []byte(nil) }}       // want `narrow becomes a basin.Pool\[\[\]byte\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	broken    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `broken becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	before    = sync.Pool{New: func() any { return new([]byte) }}       // want `before becomes a basin.Pool\[\*\[\]byte\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	measured  = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `measured becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	unsure    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `unsure becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
	passed    = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `passed becomes a basin.Pool\[\*bytes.Buffer\]; no limit of its Puts is known, so it keeps values of up to 2 GiB, and 32 GiB in all`
)

func grow(b *bytes.Buffer) {
	grows.Get().(*bytes.Buffer).Reset()
	if b.Cap() > 64<<10 {
		return
	}
	b.WriteString("more")
	grows.Put(b)
}

func deferred(b *bytes.Buffer, in []byte) {
	late.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= 64<<10 {
		defer late.Put(b)
	}
	b.Write(in)
}

func ofLength(in string) {
	b := length.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(in)
	if b.Len() < 64<<10 {
		length.Put(b)
	}
}

func or(b *bytes.Buffer, force bool) {
	either.Get().(*bytes.Buffer).Reset()
	if force || b.Cap() <= 64<<10 {
		either.Put(b)
	}
}

func least(b *bytes.Buffer) {
	atLeast.Get().(*bytes.Buffer).Reset()
	if b.Cap() < 512 {
		return
	}
	atLeast.Put(b)
}

var (
	LimitOfUser   = 64 << 10
	limitCounted  = 64 << 10
	limitGiven    = 64 << 10
	limitComputed = len(computed.Get().(*bytes.Buffer).Bytes())
)

func ofVariable(b *bytes.Buffer) {
	variable.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= LimitOfUser {
		variable.Put(b)
	}
}

func ofCounted(b *bytes.Buffer) {
	counted.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= limitCounted {
		counted.Put(b)
	}
	(limitCounted)++
}

func ofGiven(b *bytes.Buffer) *int {
	given.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= limitGiven {
		given.Put(b)
	}
	return &limitGiven
}

func ofLocal(b *bytes.Buffer, more bool) {
	local.Get().(*bytes.Buffer).Reset()
	most := 64 << 10
	if more {
		most = 1 << 30
	}
	if b.Cap() <= most {
		local.Put(b)
	}
}

func ofComputed(b *bytes.Buffer) {
	computed.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= limitComputed {
		computed.Put(b)
	}
}

func ofPart(b []byte) {
	b = append(b, part.Get().([]byte)...)
	if cap(b[100:]) <= 64<<10 {
		part.Put(b)
	}
}

func ofAnother(b, c *bytes.Buffer) {
	another.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= 64<<10 {
		another.Put(c)
	}
}

func wrapped(b *bytes.Buffer) { sometimes.Put(b) }

func callers(b *bytes.Buffer) {
	sometimes.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= 64<<10 {
		wrapped(b)
	}
}

func caller(b *bytes.Buffer) {
	defer wrapped(b)
	b.WriteString("more")
}

func cut(b []byte) {
	b = append(b, narrow.Get().([]byte)...)
	if uint16(cap(b)) <= 1<<10 {
		narrow.Put(b)
	}
}

func leftSwitch(b *bytes.Buffer) {
	broken.Get().(*bytes.Buffer).Reset()
	switch {
	case b.Cap() > 64<<10:
		break
	}
	broken.Put(b)
}

func set(p *[]byte, in []byte) {
	p = before.Get().(*[]byte)
	if cap(*p) > 64<<10 {
		return
	}
	b := append([]byte(nil), in...)
	*p = b
	before.Put(p)
}

func measure(b *bytes.Buffer, in []byte) {
	measured.Get().(*bytes.Buffer).Reset()
	size := b.Cap()
	b.Write(in)
	if size > 64<<10 {
		return
	}
	measured.Put(b)
}

func both(b *bytes.Buffer, w io.WriterTo) {
	unsure.Get().(*bytes.Buffer).Reset()
	if b.Cap() > 64<<10 {
		return
	}
	w.WriteTo(b)
	unsure.Put(b)
}

func value(b *bytes.Buffer) { passed.Put(b) }

func values(b *bytes.Buffer) func(*bytes.Buffer) {
	passed.Get().(*bytes.Buffer).Reset()
	if b.Cap() <= 64<<10 {
		value(b)
	}
	return value
}
