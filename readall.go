package basin

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/basin-go/basin/internal/sizeclass"
)

// ReadAll reads from r until it reports io.EOF and returns what it read, which
// may be put back. It takes memory as the data arrives, whatever r may claim
// about its length, and returns a slice whose capacity is the size class of the
// data or up to four times its length.
//
// If r reports another error, ReadAll returns that and no data. If r returns
// neither data nor an error a hundred times in a row it returns
// [io.ErrNoProgress]. If r returns a count that is negative or larger than what
// was asked for, ReadAll panics, as [bytes.Buffer.ReadFrom] does. In any such
// case the memory has gone back to the pool.
func (p *BytePool) ReadAll(r io.Reader) (data []byte, err error) {
	// Data is read into chunks, each as large as all before it, and moved
	// once, when its length is known. But what fills the first chunk is moved
	// to one that should be enough for all, if such data has come before.
	var few [8][]byte
	chunks := few[:0]
	total := 0
	defer func() {
		for _, c := range chunks { // of an error, or a panic of r's, too
			p.Put(c)
		}
	}()
	free := p.Make(p.readSize())
	free = free[:cap(free)]
	chunks = append(chunks, free)
	first := len(free)
	for idle := 0; ; {
		n, err := r.Read(free)
		switch {
		case n < 0:
			panic(errNegativeRead)
		case n > len(free):
			panic(errLargeRead)
		}
		free = free[n:]
		total += n
		switch {
		case err == io.EOF:
			p.learnReadSize(total, first)
			if c := chunks[0]; len(chunks) == 1 && total > len(c)/4 {
				chunks = nil
				return c[:total], nil
			}
			return p.join(chunks, total), nil
		case err != nil:
			return nil, err
		case n > 0:
			idle = 0
		default:
			if idle++; idle == maxIdleReads {
				return nil, io.ErrNoProgress
			}
		}
		if len(free) > 0 {
			continue
		}
		if n := p.largeReadSize(total); total == first && n > total {
			free = p.another(n)
			free = free[:cap(free)]
			copy(free, chunks[0])
			p.Put(chunks[0])
			chunks[0] = free
			free = free[total:]
			continue
		}
		free = p.another(min(total, p.classes().Largest()))
		free = free[:cap(free)]
		chunks = append(chunks, free)
	}
}

// join returns the first total bytes of the chunks.
func (p *BytePool) join(chunks [][]byte, total int) []byte {
	data := p.another(total)[:0]
	for _, c := range chunks {
		data = append(data, c[:min(len(c), total-len(data))]...)
	}
	return data
}

// What ReadAll begins with is twice what it read on average lately, so that
// most of what it reads arrives in few calls and one chunk, while many readers
// that wait for little do not hold much. What does not fit continues, once it has
// filled that, with room for a quarter more than such reads came to on average, but
// not for much more than there is already: that data was large before is no reason
// to believe everyone who sends a little.
const (
	minReadSize = 4 << 10
	maxReadSize = 64 << 10
	maxReadStep = 32 // times what has arrived
)

func (p *BytePool) readSize() int {
	n := min(max(2*int(p.meanRead.Load()), minReadSize), maxReadSize)
	return min(n, p.classes().Largest())
}

// largeReadSize returns how much room what filled the first chunk should get. It is
// less than that if nothing is known.
func (p *BytePool) largeReadSize(arrived int) int {
	mean := int(p.meanLargeRead.Load())
	return min(mean+mean/4, maxReadStep*arrived, p.classes().Largest())
}

// learnReadSize tells readSize and largeReadSize of n bytes that were read, the
// first into a chunk of the given size.
func (p *BytePool) learnReadSize(n, first int) {
	learnMean(&p.meanRead, min(n, maxReadSize))
	if n >= first {
		learnMean(&p.meanLargeRead, min(n, sizeclass.Max))
	}
}

// learnMean moves the mean towards n. Concurrent calls may overwrite each other; any
// of them will do.
func learnMean(mean *atomic.Int32, n int) {
	m := mean.Load()
	if next := m + (int32(n)-m)/8; next != m {
		mean.Store(next)
	}
}

const maxIdleReads = 100 // as bufio's

var (
	errNegativeRead = errors.New("basin: reader returned negative count from Read")
	errLargeRead    = errors.New("basin: reader returned larger count from Read than it was asked for")
)
