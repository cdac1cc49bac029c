//go:build go1.25

// Package trace defines the file format of recorded uses of byte pools. A trace has sizes,
// times and Ps, but neither contents nor addresses.
//
// A trace begins with the line "basin trace 1". Binary entries follow. Numbers are unsigned
// varints as in encoding/binary. Times are nanoseconds since the recording began. The first
// byte of an entry is its type:
//
//	'H'  every, GOMAXPROCS: one in every acquisitions is recorded; the first entry
//	'P'  ID, MaxIdle in bytes, length of the name, name: a pool, before its first acquisition
//	'G'  time: a garbage collection has ended
//	'E'  duration, number of acquisitions lost for lack of memory; the last entry
//	'a'  an acquisition that was put back: pool ID, bytes asked for, P, time, P of Put, lifetime
//	'b'  an acquisition not put back during the recording: pool ID, bytes asked for, P, time
//	'A', 'B'  the same, for a slice larger than the pool keeps
//
// The time of an acquisition is a signed varint: the difference to the previous acquisition in
// the trace. Acquisitions are ordered by their end.
//
// In a file, the trace is compressed with gzip.
//
// Touch it for the format: old readers must reject a new one, by its first line. internal/recorder
// makes the acquisitions.
package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

const magic = "basin trace 1\n"

// MediaType is the media type of an uncompressed trace.
const MediaType = "application/vnd.basin.trace"

// Limits of a trace.
const (
	MaxBytes        = 64 << 20 // before compression
	MaxAcquisitions = 8 << 20
	MaxEvery        = 1 << 20

	maxPools  = 16_384
	maxName   = 200
	maxProcs  = 1 << 14
	maxTime   = int64(24 * time.Hour)
	maxSize   = 1 << 40
	maxCycles = 1 << 20
)

// A Header describes a recording.
type Header struct {
	Every int // one in Every acquisitions is in the trace
	Procs int // GOMAXPROCS
}

// A Pool is a byte pool that acquisitions refer to by its ID.
type Pool struct {
	ID      uint64
	Name    string
	MaxIdle int64 // bytes, or 0 if unknown
}

// An Acquisition is the use of a slice from Get to Put.
type Acquisition struct {
	Pool     uint64 // ID
	Size     int64  // bytes asked for
	Start    int64  // nanoseconds since the recording began
	Lifetime int64  // nanoseconds, or -1 if not put before the recording ended
	GetP     int32
	PutP     int32
	Outside  bool // larger than the pool keeps
}

// A Writer writes a trace.
type Writer struct {
	w     *bufio.Writer
	buf   []byte
	last  int64 // start of the last acquisition
	pools map[uint64]bool

	bytes, acquisitions int
}

// NewWriter returns a writer, and writes the header.
func NewWriter(w io.Writer, h Header) *Writer {
	t := &Writer{w: bufio.NewWriterSize(w, 32<<10), pools: map[uint64]bool{}}
	t.bytes = len(magic)
	t.w.WriteString(magic)
	t.entry('H', uint64(h.Every), uint64(h.Procs))
	return t
}

func (t *Writer) entry(kind byte, numbers ...uint64) {
	t.buf = append(t.buf[:0], kind)
	for _, n := range numbers {
		t.buf = binary.AppendUvarint(t.buf, n)
	}
	t.write()
}

func (t *Writer) write() {
	t.w.Write(t.buf) // bufio keeps an error until Flush
	t.bytes += len(t.buf)
}

// HalfFull reports whether the trace is more than half as large as Read accepts.
func (t *Writer) HalfFull() bool {
	return t.bytes > MaxBytes/2 || t.acquisitions > MaxAcquisitions/2
}

// Knows reports whether the pool with this ID has been written.
func (t *Writer) Knows(id uint64) bool { return t.pools[id] }

// Full reports whether the limit of pools is reached.
func (t *Writer) Full() bool { return len(t.pools) >= maxPools }

// Pool writes a pool. A name that is too long is cut.
func (t *Writer) Pool(p Pool) {
	name := p.Name
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	t.pools[p.ID] = true
	t.buf = append(t.buf[:0], 'P')
	for _, n := range []uint64{p.ID, uint64(p.MaxIdle), uint64(len(name))} {
		t.buf = binary.AppendUvarint(t.buf, n)
	}
	t.buf = append(t.buf, name...)
	t.write()
}

// GC writes the end of a garbage collection.
func (t *Writer) GC(at time.Duration) { t.entry('G', uint64(at)) }

// Acquisition writes an acquisition. Its pool must have been written.
func (t *Writer) Acquisition(a Acquisition) {
	kind := byte('a')
	if a.Lifetime < 0 {
		kind = 'b'
	}
	if a.Outside {
		kind -= 'a' - 'A'
	}
	t.buf = append(t.buf[:0], kind)
	t.buf = binary.AppendUvarint(t.buf, a.Pool)
	t.buf = binary.AppendUvarint(t.buf, uint64(a.Size))
	t.buf = binary.AppendUvarint(t.buf, uint64(a.GetP))
	t.buf = binary.AppendVarint(t.buf, a.Start-t.last)
	if a.Lifetime >= 0 {
		t.buf = binary.AppendUvarint(t.buf, uint64(a.PutP))
		t.buf = binary.AppendUvarint(t.buf, uint64(a.Lifetime))
	}
	t.last = a.Start
	t.acquisitions++
	t.write()
}

// End writes the last entry and flushes.
func (t *Writer) End(duration time.Duration, lost uint64) error {
	t.entry('E', uint64(duration), lost)
	return t.Flush()
}

// Flush writes all buffered data, and returns the first error of all writes.
func (t *Writer) Flush() error { return t.w.Flush() }

// A Trace is the content of a trace.
type Trace struct {
	Header
	Pools        []Pool
	Acquisitions []Acquisition // ordered by their end
	Cycles       []int64       // ends of garbage collections, in order
	Duration     time.Duration
	Lost         uint64 // acquisitions that were picked but not recorded

	// Complete means that the last entry was read. Otherwise the program or the connection to
	// it ended early, and Duration covers the part that was read.
	Complete bool
}

// Read reads an uncompressed trace. It returns an error for any other input, and for a trace
// that exceeds a limit. Input is not trusted: memory is allocated only as entries arrive.
func Read(r io.Reader) (*Trace, error) {
	in := &reader{r: bufio.NewReader(io.LimitReader(r, MaxBytes+1))}
	line := make([]byte, len(magic))
	if _, err := io.ReadFull(in.r, line); err != nil || string(line) != magic {
		return nil, errors.New("this is not a trace of basin, or one of another version of basin")
	}
	t, last := new(Trace), int64(0)
	for !t.Complete {
		kind, err := in.r.ReadByte()
		if err == io.EOF && t.Every > 0 {
			t.Duration = time.Duration(last)
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the trace breaks off: %w", err)
		}
		if (kind == 'H') != (t.Every == 0) {
			return nil, errors.New("the trace has no header, or two")
		}
		switch kind {
		case 'H':
			t.Every, t.Procs = int(in.number(1, MaxEvery)), int(in.number(1, maxProcs))
		case 'P':
			p := Pool{ID: uint64(in.number(0, 1<<62)), MaxIdle: in.number(0, 1<<62)}
			name := make([]byte, in.number(0, maxName))
			if _, err := io.ReadFull(in.r, name); err != nil {
				in.err = err
			}
			p.Name = strings.ToValidUTF8(string(name), "�")
			if t.Pools = append(t.Pools, p); len(t.Pools) > maxPools {
				return nil, fmt.Errorf("the trace has more than %d pools", maxPools)
			}
			in.pool(p.ID)
		case 'G':
			at := in.number(0, maxTime)
			if n := len(t.Cycles); n > 0 && t.Cycles[n-1] > at {
				return nil, errors.New("the trace has garbage collections that go back in time")
			}
			if t.Cycles = append(t.Cycles, at); len(t.Cycles) > maxCycles {
				return nil, fmt.Errorf("the trace has more than %d garbage collections", maxCycles)
			}
			last = max(last, at)
		case 'E':
			t.Duration, t.Lost = time.Duration(in.number(0, maxTime)), uint64(in.number(0, 1<<62))
			t.Complete = in.err == nil
		case 'a', 'b', 'A', 'B':
			a := in.acquisition(kind)
			if in.err == nil && !in.pools[a.Pool] {
				return nil, errors.New("the trace refers to a pool that is not in it")
			}
			if t.Acquisitions = append(t.Acquisitions, a); len(t.Acquisitions) > MaxAcquisitions {
				return nil, fmt.Errorf("the trace has more than %d acquisitions", MaxAcquisitions)
			}
			last = max(last, a.Start+max(0, a.Lifetime))
		default:
			return nil, fmt.Errorf("the trace has an entry of unknown kind %q", kind)
		}
		if in.err != nil {
			return nil, fmt.Errorf("the trace breaks off or is damaged: %w", in.err)
		}
	}
	if _, err := in.r.ReadByte(); err != io.EOF {
		return nil, errors.New("the trace goes on after its end")
	}
	return t, nil
}

type reader struct {
	r     *bufio.Reader
	err   error // the first
	start int64
	pools map[uint64]bool
}

func (r *reader) pool(id uint64) {
	if r.pools == nil {
		r.pools = map[uint64]bool{}
	}
	r.pools[id] = true
}

// number reads a number and checks that it is from least to most.
func (r *reader) number(least, most int64) int64 {
	n, err := binary.ReadUvarint(r.r)
	switch {
	case r.err != nil:
		return least
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	case err == nil && (n < uint64(least) || n > uint64(most)):
		err = fmt.Errorf("%d is not from %d to %d", n, least, most)
	}
	if err != nil {
		r.err = err
		return least
	}
	return int64(n)
}

func (r *reader) acquisition(kind byte) Acquisition {
	a := Acquisition{Lifetime: -1, Outside: kind < 'a'}
	a.Pool = uint64(r.number(0, 1<<62))
	a.Size = r.number(1, maxSize)
	a.GetP = int32(r.number(0, maxProcs))
	difference, err := binary.ReadVarint(r.r)
	if r.err == nil && err != nil {
		r.err = err
	}
	if r.err == nil && (difference > maxTime || difference < -maxTime) {
		r.err = errors.New("a time is out of bounds")
	}
	if r.err != nil {
		return a
	}
	r.start += difference
	a.Start = r.start
	if a.Start < 0 || a.Start > maxTime {
		r.err = errors.New("a time is out of bounds")
	}
	if kind == 'a' || kind == 'A' {
		a.PutP = int32(r.number(0, maxProcs))
		a.Lifetime = r.number(0, maxTime)
	}
	return a
}
