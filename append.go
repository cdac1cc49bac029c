//go:build go1.25

package basin

// Append appends src to dst, as the built-in append does. If dst has no room for src, the result
// has a new array from the pool, and the array of dst goes to the pool: nobody may use it
// afterwards. src may be a part of dst. A pool with [BytePool.Zero] clears the outgrown array, even
// if another pool or make has made it. If dst has room, Append does not touch the pool.
func (p *BytePool) Append(dst []byte, src ...byte) []byte {
	// The compiler inlines this method and the similar ones. The condition is the one of the
	// built-in append, so the compiler tests it once.
	if uint(len(dst)+len(src)) > uint(cap(dst)) {
		return p.growAppend(dst, src)
	}
	return append(dst, src...)
}

// AppendString is [BytePool.Append] for a string.
func (p *BytePool) AppendString(dst []byte, src string) []byte {
	if uint(len(dst)+len(src)) > uint(cap(dst)) {
		return p.growAppendString(dst, src)
	}
	return append(dst, src...)
}

// growAppend is Append when dst has too little room.
//
//go:noinline
func (p *BytePool) growAppend(dst, src []byte) []byte {
	grown, outgrown := p.room(dst, len(src))
	grown = append(grown, src...)
	p.putOutgrown(outgrown)
	return grown
}

// growAppendString is AppendString when dst has too little room.
//
//go:noinline
func (p *BytePool) growAppendString(dst []byte, src string) []byte {
	grown, outgrown := p.room(dst, len(src))
	grown = append(grown, src...)
	p.putOutgrown(outgrown)
	return grown
}

// Grow returns b with room for another n bytes. If b has too little room, the result has a new
// array from the pool, and the array of b goes to the pool: nobody may use it afterwards. Grow
// panics if n is negative.
func (p *BytePool) Grow(b []byte, n int) []byte {
	if uint(n) <= uint(cap(b)-len(b)) {
		return b
	}
	return p.grow(b, n)
}

// grow is Grow when b has too little room.
//
//go:noinline
func (p *BytePool) grow(b []byte, n int) []byte {
	if n < 0 {
		panic("basin: Grow by a negative number of bytes")
	}
	grown, outgrown := p.room(b, n)
	p.putOutgrown(outgrown)
	return grown
}

// room returns b moved to an array of at least twice the capacity, with room for another n bytes.
// outgrown is the old array, for putOutgrown.
func (p *BytePool) room(b []byte, n int) (grown, outgrown []byte) {
	need := len(b) + n
	if need < 0 {
		panic("basin: a slice would have more bytes than an int can count")
	}
	size := max(need, 2*cap(b))
	grown = append(p.growTo(size, bestFit)[:0], b...)
	if cap(b) == 0 {
		return grown, nil
	}
	return grown, b
}

func (p *BytePool) putOutgrown(b []byte) {
	if cap(b) > 0 && !p.dropOutgrown(b) {
		p.Put(b)
	}
}

// Clone returns a copy of b, or nil if b is nil. A copy is usually kept for long, so its capacity
// is the size class of its length, whatever [BytePool.MaxFit] is.
func (p *BytePool) Clone(b []byte) []byte {
	if b == nil {
		return nil
	}
	clone := p.get(len(b), ownClass)
	copy(clone, b)
	return clone
}

// CloneString returns a copy of the bytes of s, with the capacity that
// [BytePool.Clone] gives.
func (p *BytePool) CloneString(s string) []byte {
	clone := p.get(len(s), ownClass)
	copy(clone, s)
	return clone
}
