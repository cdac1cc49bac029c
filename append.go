package basin

import (
	"errors"
	"io"
)

// Append appends src to dst, as the built-in append does. If dst has no room for
// it, the result has a new array from the pool, and the array of dst goes to
// the pool. So dst must not be used afterwards, nor may anything else refer to
// its array; src must not be a part of it.
func (p *BytePool) Append(dst []byte, src ...byte) []byte {
	return append(p.room(dst, len(src)), src...)
}

// AppendString is [BytePool.Append] for a string.
func (p *BytePool) AppendString(dst []byte, src string) []byte {
	return append(p.room(dst, len(src)), src...)
}

// Grow returns b with room for another n bytes. If it has no such room yet, its
// array goes to the pool, so b must not be used afterwards. It panics if n is
// negative.
func (p *BytePool) Grow(b []byte, n int) []byte {
	if n < 0 {
		panic("basin: Grow by a negative number of bytes")
	}
	return p.room(b, n)
}

// room returns b with room for another n bytes, moved to an array of at least
// twice the size if need be.
func (p *BytePool) room(b []byte, n int) []byte {
	if n <= cap(b)-len(b) {
		return b
	}
	size := max(len(b)+n, 2*cap(b))
	var grown []byte
	if p.ceiling != nil && cap(b) > 0 {
		grown = p.ceiling.grow(size)
	} else {
		grown = p.Get(size)
	}
	grown = append(grown[:0], b...)
	if cap(b) > 0 {
		p.Put(b)
	}
	return grown
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

// ReadAll reads from r until it reports io.EOF and returns what it read, which
// may be put back. It takes memory as the data arrives, whatever r may claim
// about its length.
//
// If r reports another error, ReadAll returns that and no data. If r returns
// neither data nor an error a hundred times in a row it returns
// [io.ErrNoProgress]. If r returns a count that is negative or larger than what
// was asked for, ReadAll panics, as [bytes.Buffer.ReadFrom] does. In any such
// case the memory has gone back to the pool.
func (p *BytePool) ReadAll(r io.Reader) (data []byte, err error) {
	b := p.Make(readSize)
	defer func() {
		if data == nil { // an error, or a panic of r's
			p.Put(b)
		}
	}()
	for idle := 0; ; {
		b = p.room(b, 1)
		free := b[len(b):cap(b)]
		n, err := r.Read(free)
		switch {
		case n < 0:
			panic(errNegativeRead)
		case n > len(free):
			panic(errLargeRead)
		}
		b = b[:len(b)+n]
		switch {
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, err
		case n > 0:
			idle = 0
		default:
			if idle++; idle == maxIdleReads {
				return nil, io.ErrNoProgress
			}
		}
	}
}

const (
	readSize     = 4 << 10 // what ReadAll begins with
	maxIdleReads = 100     // as bufio's
)

var (
	errNegativeRead = errors.New("basin: reader returned negative count from Read")
	errLargeRead    = errors.New("basin: reader returned larger count from Read than it was asked for")
)
