// What is put is no pool's, or another's.
package foreign

import (
	"sync"

	"github.com/basin-go/basin"
	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/valyala/bytebufferpool"
)

var (
	fixed = &basin.FixedPool{Count: 4, Size: 1500}
	one   bytebufferpool.Pool
	two   bytebufferpool.Pool
)

func BugMake(n int) {
	b := make([]byte, n)
	basin.Put(b) // BUG
}

func BugArray() {
	var a [512]byte
	b := a[:]
	b[0] = 1
	basin.Put(b) // BUG
}

func BugFixed() {
	b := basin.Get(1500)
	b[0] = 1
	fixed.Put(b) // BUG
}

func BugOtherPool(s string) int {
	b := one.Get()
	b.WriteString(s)
	n := b.Len()
	two.Put(b) // BUG
	return n
}

func BugMcache() {
	b := mcache.Malloc(512)
	b = b[16:]
	mcache.Free(b) // BUG
}

var small, large = sync.Pool{New: func() any { return new([64]byte) }}, sync.Pool{New: func() any { return new([128]byte) }}

func BugWrongType() {
	b := small.Get().(*[64]byte)
	b[0] = 1
	large.Put(b) // BUG
}

type (
	encoder struct{ buf []byte }
	decoder struct{ buf []byte }
)

var encoders, decoders sync.Pool

func decode() *decoder {
	d, ok := decoders.Get().(*decoder)
	if !ok {
		d = new(decoder)
	}
	return d
}

type writer struct{ enc *encoder }

func (w *writer) BugClose() {
	if w.enc != nil {
		decoders.Put(w.enc) // BUG
		w.enc = nil
	}
}

func (w *writer) LegalClose() {
	if w.enc != nil {
		encoders.Put(w.enc)
		w.enc = nil
	}
}

func LegalDecoded(d *decoder) { decoders.Put(d) }

func LegalMake(n int) {
	b := basin.Get(n)
	if cap(b) < n {
		b = make([]byte, n)
	}
	basin.Put(b)
}

// A sync.Pool takes what was made elsewhere: that is how it is filled.
func LegalFill(p *sync.Pool) {
	b := make([]byte, 64)
	p.Put(&b)
}

func LegalFixed() {
	b := fixed.Get()
	b[0] = 1
	fixed.Put(b)
}

func LegalChosen(big bool) {
	p := &one
	if big {
		p = &two
	}
	b := p.Get()
	b.Reset()
	p.Put(b)
}

func LegalBranch(n int) {
	var b any
	if n > 64 {
		b = large.Get()
	} else {
		b = small.Get()
	}
	if n > 64 {
		large.Put(b)
	} else {
		small.Put(b)
	}
}
