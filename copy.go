package basin

import "io"

// copySize is what [io.Copy] allocates.
const copySize = 32 << 10

// Copy copies from src to dst until io.EOF or an error: [io.Copy] with a buffer
// from p. Like io.Copy it leaves the work to src if that is an [io.WriterTo], or
// else to dst if that is an [io.ReaderFrom], and needs no buffer then.
func (p *BytePool) Copy(dst io.Writer, src io.Reader) (written int64, err error) {
	if _, ok := src.(io.WriterTo); ok {
		return io.Copy(dst, src)
	}
	if _, ok := dst.(io.ReaderFrom); ok {
		return io.Copy(dst, src)
	}
	size := copySize
	if l, ok := src.(*io.LimitedReader); ok {
		size = int(max(1, min(l.N, int64(size))))
	}
	buf := p.Get(size)
	defer p.Put(buf)
	return io.CopyBuffer(dst, src, buf)
}

// CopyN copies n bytes from src to dst, or until an error: [io.CopyN] with a
// buffer from p. If src ends earlier the error is io.EOF.
func (p *BytePool) CopyN(dst io.Writer, src io.Reader, n int64) (written int64, err error) {
	written, err = p.Copy(dst, io.LimitReader(src, n))
	if written < n && err == nil {
		err = io.EOF
	}
	return written, err
}

// Copy copies from src to dst with a recycled buffer: [BytePool.Copy] of the
// default pool.
func Copy(dst io.Writer, src io.Reader) (written int64, err error) {
	return defaultPool.Load().Copy(dst, src)
}

// CopyN copies n bytes from src to dst with a recycled buffer: [BytePool.CopyN] of
// the default pool.
func CopyN(dst io.Writer, src io.Reader, n int64) (written int64, err error) {
	return defaultPool.Load().CopyN(dst, src, n)
}
