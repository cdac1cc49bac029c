//go:build go1.25

package basinio_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A reading is the part of bufio.Reader that programs call.
type reading interface {
	io.Reader
	io.WriterTo
	io.RuneScanner
	io.ByteScanner
	Buffered() int
	Discard(int) (int, error)
	Peek(int) ([]byte, error)
	ReadBytes(byte) ([]byte, error)
	ReadLine() ([]byte, bool, error)
	ReadSlice(byte) ([]byte, error)
	ReadString(byte) (string, error)
	Reset(io.Reader)
	Size() int
}

var (
	_ reading = new(bufio.Reader)
	_ reading = new(basinio.Reader)
)

// A script gives the decisions of a random program.
type script struct{ r *rand.Rand }

func (s script) below(n int) int { return s.r.IntN(n) }

// size returns a size near those where something changes.
func (s script) size() int {
	edges := []int{0, 1, 2, 16, 44, 45, 46, 64, 100, 128, 500, 4095, 4096, 4097}
	if s.below(3) == 0 {
		return s.below(200)
	}
	return edges[s.below(len(edges))]
}

// text returns lines with runes of all lengths, and bytes that are none.
func (s script) text(n int) []byte {
	pieces := []string{"a", "line\n", "\r\n", "é", "世", "😀", "\xff", "\xe4\xb8", "\n", "xxxxxxxxxxxxxxxxxxxxxxxx"}
	var b []byte
	for len(b) < n {
		b = append(b, pieces[s.below(len(pieces))]...)
	}
	return b[:n]
}

// A stop is an event at an offset of a source: empty reads, or an error.
type stop struct {
	at    int
	empty int
	err   error
}

// A source returns data in parts of random sizes. Its errors depend on the offset, not on the sizes
// of reads, which differ between Readers.
type source struct {
	data  []byte
	at    int
	stops []stop
	end   error
	r     *rand.Rand
	most  int
}

func (s *source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	limit := len(s.data)
	if len(s.stops) > 0 {
		if next := &s.stops[0]; next.at == s.at {
			if next.empty > 0 {
				next.empty--
				return 0, nil
			}
			err := next.err
			s.stops = s.stops[1:]
			if err != nil {
				return 0, err
			}
			return s.Read(p)
		} else {
			limit = next.at
		}
	}
	if s.at == len(s.data) {
		return 0, s.end
	}
	n := min(len(p), limit-s.at, 1+s.r.IntN(s.most))
	copy(p, s.data[s.at:s.at+n])
	s.at += n
	return n, nil
}

var errMidway = errors.New("midway")

// sources returns two sources that are equal but for the sizes of their parts, and whether something
// happens before their end.
func (s script) sources() (x, y io.Reader, faults bool, about string) {
	data := s.text(s.size() + s.size())
	var stops []stop
	for at := 0; s.below(2) == 0 && at <= len(data); at += 1 + s.below(200) {
		stops = append(stops, []stop{{at: at, empty: 1 + s.below(150)}, {at: at, err: errMidway}, {at: at, err: io.EOF}}[s.below(3)])
		at++
	}
	end := []error{io.EOF, io.EOF, io.ErrUnexpectedEOF, errMidway}[s.below(4)]
	most := []int{1, 3, 70, 5000}[s.below(4)]
	for i, to := range []*io.Reader{&x, &y} {
		*to = &source{data: data, stops: append([]stop(nil), stops...), end: end, most: most, r: rand.New(rand.NewPCG(uint64(i), s.r.Uint64()))}
	}
	if len(stops) == 0 || !emptyStops(stops) {
		switch s.below(6) {
		case 0:
			x, y, about = iotest.OneByteReader(x), iotest.OneByteReader(y), "one byte"
		case 1:
			x, y, about = iotest.HalfReader(x), iotest.HalfReader(y), "half"
		case 2:
			if len(stops) == 0 {
				x, y, about = iotest.DataErrReader(x), iotest.DataErrReader(y), "data with the error"
			}
		}
	}
	return x, y, len(stops) > 0, fmt.Sprintf("%d bytes, parts up to %d, stops %v, then %v, %s", len(data), most, stops, end, about)
}

func emptyStops(stops []stop) bool {
	for _, s := range stops {
		if s.empty > 0 {
			return true
		}
	}
	return false
}

// readFull is io.ReadFull, but gives up after many empty reads.
func readFull(r io.Reader, p []byte) (n int, err error) {
	for empty := 0; n < len(p) && err == nil && empty < 1000; empty++ {
		var m int
		if m, err = r.Read(p[n:]); m > 0 {
			n, empty = n+m, 0
		}
	}
	if n == len(p) {
		err = nil // as io.ReadFull
	}
	return n, err
}

// A stopping is a bufio.Reader whose WriteTo and Discard do not read on after an error, which may come before the end if
// faults is true. Those of bufio do so if the error came with bytes, and lose it.
type stopping struct {
	*bufio.Reader
	faults *bool
}

// read is a Read of many bytes, but gives up after as many empty ones as bufio.
func (b stopping) read(p []byte) (n int, err error) {
	for range 100 {
		if n, err = b.Reader.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

func (b stopping) WriteTo(w io.Writer) (n int64, err error) {
	if !*b.faults {
		return b.Reader.WriteTo(w)
	}
	defer b.Peek(0) // so that nothing can be unread
	p := make([]byte, 1<<16)
	for err == nil {
		var m int
		m, err = b.read(p)
		if m > 0 {
			m, err := w.Write(p[:m])
			n += int64(m)
			if err != nil {
				return n, err
			}
		}
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

func (b stopping) Discard(n int) (discarded int, err error) {
	if !*b.faults || n <= b.Buffered() {
		return b.Reader.Discard(n)
	}
	defer b.Peek(0)
	for discarded < n && err == nil {
		var m int
		m, err = b.read(make([]byte, n-discarded))
		discarded += m
	}
	if discarded == n {
		err = nil
	}
	return discarded, err
}

// differReader runs a random program on a bufio.Reader and a Reader, and returns the first
// difference.
func differReader(s script) (difference string) {
	size := 16 + s.size()
	x, y, faults, about := s.sources()
	theirs, mine := stopping{bufio.NewReaderSize(x, size), &faults}, basinio.NewReaderSize(y, size)
	defer mine.Reset(nil)
	log := fmt.Sprintf("size %d, %s:", size, about)
	defer func() {
		if difference != "" {
			difference = log + " " + difference
		}
	}()
	for range 2 + s.below(40) {
		var want, got string
		op := s.below(15)
		n := s.size()
		if s.below(30) == 0 {
			n = -n
		}
		each := func(f func(b reading) string) {
			want, got = f(theirs), f(mine)
		}
		switch op {
		case 0, 1:
			log += fmt.Sprintf(" read %d;", n)
			each(func(b reading) string {
				p := make([]byte, max(n, 0))
				m, err := readFull(b, p)
				return fmt.Sprintf("%q, %v", p[:m], err)
			})
		case 2:
			log += " byte;"
			each(func(b reading) string { c, err := b.ReadByte(); return fmt.Sprint(c, err) })
		case 3:
			log += " unread byte;"
			each(func(b reading) string { return fmt.Sprint(b.UnreadByte()) })
		case 4:
			log += " rune;"
			each(func(b reading) string { c, m, err := b.ReadRune(); return fmt.Sprint(c, m, err) })
		case 5:
			log += " unread rune;"
			each(func(b reading) string { return fmt.Sprint(b.UnreadRune()) })
		case 6:
			// Beyond the size, an error stays for the next call, which may return it with as many
			// bytes as the source gave in one part.
			n = min(n, size)
			log += fmt.Sprintf(" peek %d;", n)
			each(func(b reading) string {
				p, err := b.Peek(n)
				return fmt.Sprintf("%q %v", p, err)
			})
		case 7:
			if faults {
				continue // an error that is pending ends Discard after one part of the source
			}
			log += fmt.Sprintf(" discard %d;", n)
			each(func(b reading) string { m, err := b.Discard(n); return fmt.Sprint(m, err) })
		case 8:
			log += " slice;"
			each(func(b reading) string { p, err := b.ReadSlice('\n'); return fmt.Sprintf("%q %v", p, err) })
		case 9:
			log += " line;"
			each(func(b reading) string {
				p, more, err := b.ReadLine()
				return fmt.Sprintf("%q %v %v %v", p, p == nil, more, err)
			})
		case 10:
			log += " bytes;"
			each(func(b reading) string { p, err := b.ReadBytes('a'); return fmt.Sprintf("%q %v", p, err) })
		case 11:
			log += " string;"
			each(func(b reading) string { p, err := b.ReadString(0xff); return fmt.Sprintf("%q %v", p, err) })
		case 12:
			log += " size;"
			each(func(b reading) string { return fmt.Sprint(b.Size(), b.Buffered() <= b.Size()) })
		case 13:
			if s.below(4) > 0 {
				continue
			}
			log += " write to;"
			limit := -1
			// A fault that is pending comes with the bytes in hand. How many a failing WriteTo leaves there depends on
			// the parts of the source.
			if s.below(3) == 0 && !faults {
				limit = s.size()
			}
			each(func(b reading) string {
				w := &sink{limit: limit}
				m, err := b.WriteTo(w)
				return fmt.Sprintf("%d %q %v", m, w.got, err)
			})
		case 14:
			if s.below(4) > 0 {
				continue
			}
			log += " reset;"
			x, y, faults, about = s.sources()
			log += about + ":"
			theirs.Reset(x)
			mine.Reset(y)
		}
		if got != want {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			i = max(0, i-20)
			return fmt.Sprintf("...%.200s, want ...%.200s", got[min(i, len(got)):], want[min(i, len(want)):])
		}
		if mine.Buffered() == 0 && mine.Holds() && (op <= 1 && n > 0 || op == 2 || op == 4 || op == 10 || op == 11) {
			return "drained, but holds memory"
		}
	}
	return ""
}

// A sink takes limit bytes, or all if limit is negative.
type sink struct {
	limit  int
	short  bool // the first time, without an error
	got    []byte
	writes []int
}

func (w *sink) Write(p []byte) (int, error) {
	n := len(p)
	w.writes = append(w.writes, n)
	if w.limit >= 0 {
		n = min(n, w.limit)
		w.limit -= n
	}
	w.got = append(w.got, p[:n]...)
	if n == len(p) || w.short {
		w.short = false // for ever, it would keep bufio.Writer busy for ever
		return n, nil
	}
	return n, errMidway
}

// A stringSink has a WriteString.
type stringSink struct {
	*sink
	strings int
}

func (w *stringSink) WriteString(s string) (int, error) { w.strings++; return w.Write([]byte(s)) }

// A fromSink has a ReadFrom.
type fromSink struct {
	*sink
	from int
}

func (w *fromSink) ReadFrom(r io.Reader) (int64, error) {
	w.from++
	return io.Copy(struct{ io.Writer }{w.sink}, struct{ io.Reader }{r})
}

// A writing is the part of bufio.Writer that programs call.
type writing interface {
	io.Writer
	io.StringWriter
	io.ByteWriter
	io.ReaderFrom
	WriteRune(rune) (int, error)
	Flush() error
	Available() int
	AvailableBuffer() []byte
	Buffered() int
	Reset(io.Writer)
	Size() int
}

var (
	_ writing = new(bufio.Writer)
	_ writing = new(basinio.Writer)
)

// differWriter runs a random program on a bufio.Writer and a Writer.
func differWriter(s script) (difference string) {
	size := []int{-1, 0, 1, 2, 3, 5, 16, 45, 100, 4096}[s.below(10)]
	var sinks [2]*sink
	var dst [2]io.Writer
	limit, short, kind := -1, false, s.below(3)
	open := func() {
		if s.below(2) == 0 {
			limit, short = s.size(), s.below(2) == 0
		}
		for i := range sinks {
			sinks[i] = &sink{limit: limit, short: short}
			dst[i] = []io.Writer{sinks[i], &stringSink{sink: sinks[i]}, &fromSink{sink: sinks[i]}}[kind]
		}
	}
	open()
	w := [2]writing{bufio.NewWriterSize(dst[0], size), basinio.NewWriterSize(dst[1], size)}
	defer func() { w[1].Reset(nil) }()
	log := fmt.Sprintf("size %d, kind %d, limit %d, short %v:", size, kind, limit, short)
	defer func() {
		if difference != "" {
			difference = log + " " + difference
		}
	}()
	sameWrites := true // after ReadFrom, the writes may be of other sizes
	for range 2 + s.below(30) {
		var results [2]string
		each := func(f func(b writing) string) {
			for i := range w {
				results[i] = f(w[i])
			}
		}
		p := s.text(s.size())
		switch s.below(9) {
		case 0, 1:
			log += fmt.Sprintf(" write %d;", len(p))
			each(func(b writing) string { n, err := b.Write(p); return fmt.Sprint(n, err) })
		case 2:
			log += fmt.Sprintf(" string %d;", len(p))
			each(func(b writing) string { n, err := b.WriteString(string(p)); return fmt.Sprint(n, err) })
		case 3:
			log += " byte;"
			each(func(b writing) string { return fmt.Sprint(b.WriteByte('x')) })
		case 4:
			c := []rune{'a', 'é', '世', '😀', -1, 0x110000}[s.below(6)]
			log += fmt.Sprintf(" rune %x;", c)
			each(func(b writing) string { n, err := b.WriteRune(c); return fmt.Sprint(n, err) })
		case 5:
			log += " flush;"
			each(func(b writing) string { return fmt.Sprint(b.Flush()) })
			if b := w[1].(*basinio.Writer); b.Holds() {
				return "flushed, but holds memory"
			}
		case 6:
			log += " available;"
			each(func(b writing) string {
				a := b.AvailableBuffer()
				result := fmt.Sprint(len(a), cap(a))
				if cap(a) >= 2 {
					n, err := b.Write(append(a, "ab"...))
					result += fmt.Sprint(n, err)
				}
				return result
			})
		case 7:
			x, y, _, about := s.sources()
			log += " read from " + about + ";"
			in := [2]io.Reader{x, y}
			for i := range w {
				n, err := w[i].ReadFrom(struct{ io.Reader }{in[i]})
				results[i] = fmt.Sprint(n, err)
			}
			sameWrites = sameWrites && kind != 2
			if limit >= 0 && results[0] != results[1] {
				return "" // more or less was read when writing failed
			}
		case 8:
			if s.below(3) > 0 {
				continue
			}
			log += " reset;"
			open()
			for i := range w {
				w[i].Reset(dst[i])
			}
			sameWrites = true
		}
		if results[0] != results[1] {
			return fmt.Sprintf("%s, want %s", results[1], results[0])
		}
		if a, b := w[0], w[1]; a.Available() != b.Available() || a.Buffered() != b.Buffered() || a.Size() != b.Size() {
			return fmt.Sprintf("available %d, buffered %d, size %d, want %d, %d, %d", b.Available(), b.Buffered(), b.Size(), a.Available(), a.Buffered(), a.Size())
		}
		if !bytes.Equal(sinks[0].got, sinks[1].got) {
			return fmt.Sprintf("wrote %q, want %q", sinks[1].got, sinks[0].got)
		}
		if sameWrites && fmt.Sprint(sinks[0].writes) != fmt.Sprint(sinks[1].writes) {
			return fmt.Sprintf("writes of %v, want %v", sinks[1].writes, sinks[0].writes)
		}
	}
	return ""
}

// TestSameAsBufio runs random programs beside package bufio: BASIN_TEST_PROGRAMS of them, or some.
func TestSameAsBufio(t *testing.T) {
	n := 4000
	switch {
	case pooltest.Long():
		n = 200_000
	case testing.Short() || testenv.Race || pooltest.FullChecks:
		n = 500
	}
	n = testenv.Int(t, "BASIN_TEST_PROGRAMS", n)
	seed := rand.Uint64()
	for name, differ := range map[string]func(script) string{"Reader": differReader, "Writer": differWriter} {
		t.Run(name, func(t *testing.T) {
			for i := range n {
				s := script{rand.New(rand.NewPCG(seed, uint64(i)))}
				if d := differ(s); d != "" {
					t.Fatalf("seed %d, program %d: %s", seed, i, d)
				}
			}
		})
	}
}
