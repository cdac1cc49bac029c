package basin

// Append appends src to dst, as the built-in append does. If dst has no room for
// it, the result has a new array from the pool, and the array of dst goes to
// the pool. So dst must not be used afterwards, nor may anything else refer to
// its array, but src itself: it may be a part of dst.
func (p *BytePool) Append(dst []byte, src ...byte) []byte {
	grown, outgrown := p.room(dst, len(src))
	grown = append(grown, src...)
	p.putOutgrown(outgrown)
	return grown
}

// AppendString is [BytePool.Append] for a string.
func (p *BytePool) AppendString(dst []byte, src string) []byte {
	grown, outgrown := p.room(dst, len(src))
	grown = append(grown, src...)
	p.putOutgrown(outgrown)
	return grown
}

// Grow returns b with room for another n bytes. If it has no such room yet, its
// array goes to the pool, so b must not be used afterwards. It panics if n is
// negative.
func (p *BytePool) Grow(b []byte, n int) []byte {
	if n < 0 {
		panic("basin: Grow by a negative number of bytes")
	}
	grown, outgrown := p.room(b, n)
	p.putOutgrown(outgrown)
	return grown
}

// room returns b with room for another n bytes, moved to an array of at least
// twice the size if need be, and then also what it has outgrown, for putOutgrown.
func (p *BytePool) room(b []byte, n int) (grown, outgrown []byte) {
	if n <= cap(b)-len(b) {
		return b, nil
	}
	need := len(b) + n
	if need < 0 {
		panic("basin: a slice would have more bytes than an int can count")
	}
	size := max(need, 2*cap(b))
	if cap(b) == 0 {
		return append(p.Make(size), b...), nil
	}
	return append(p.another(size)[:0], b...), b
}

func (p *BytePool) putOutgrown(b []byte) {
	if cap(b) > 0 {
		p.Put(b)
	}
}

// another is Get for those who hold a slice of p already: under a ceiling they must
// not wait for more.
func (p *BytePool) another(n int) []byte {
	if p.ceiling != nil {
		return p.ceiling.grow(n)
	}
	return p.Get(n)
}

// Clone returns a copy of b, or nil if b is nil.
func (p *BytePool) Clone(b []byte) []byte {
	if b == nil {
		return nil
	}
	clone := p.Get(len(b))
	copy(clone, b)
	return clone
}

// CloneString returns the bytes of s.
func (p *BytePool) CloneString(s string) []byte {
	clone := p.Get(len(s))
	copy(clone, s)
	return clone
}
