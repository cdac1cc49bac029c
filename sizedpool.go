package basin

// A SizedPool is one size of a [BytePool]. It is a
// [net/http/httputil.BufferPool], for a reverse proxy to copy with.
type SizedPool struct {
	pool *BytePool
	size int
}

// Sized returns a view of p that hands out slices of length n. It has nothing of
// its own: what is put into one is there for all users of p.
func (p *BytePool) Sized(n int) *SizedPool { return &SizedPool{p, n} }

// Get returns a slice of the pool's size, of arbitrary content: see
// [BytePool.Get].
func (s *SizedPool) Get() []byte { return s.pool.Get(s.size) }

// Put gives b back: see [BytePool.Put].
func (s *SizedPool) Put(b []byte) { s.pool.Put(b) }
