package advise

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"time"
)

// Bounds of a profile. A larger one is refused.
const (
	maxCompressed = 256 << 20
	maxBytes      = 4 << 30 // uncompressed
	maxMessage    = 1 << 20 // one sample, location, function or string
	maxText       = 256 << 20
	maxEntries    = 8 << 20 // locations, or functions, or strings
)

// A profile is read twice: once for its tables and once for its samples, which may precede the tables. Samples are
// never all in memory. Fields are numbered as in pprof's profile.proto.
type profile struct {
	name     string // for messages
	raw      io.ReadSeeker
	types    []uint64 // of the values, as indexes of text
	period   int64
	taken    time.Time
	duration time.Duration
	program  string // its file and build ID

	text      []string
	functions map[uint64]function
	root      string            // of the standard library's files
	locations map[uint64][]line // innermost call first
	marked    map[uint64]mark   // functions
	frames    []byte            // of the last stack
}

type function struct {
	name, file uint64 // indexes of text
	start      int64
}

type line struct {
	function uint64
	line     int64
}

const written = " that curl has written from http://HOST/debug/pprof/allocs (for -cpu: /debug/pprof/profile)"

// withFile calls use with the profile in a file.
func withFile(ctx context.Context, name string, use func(*profile) error) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%w; name a file%s, or an address that begins with http://", err, written)
	}
	defer f.Close()
	var raw io.ReadSeeker = f
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; name a file%s, and a module's directory with -source", name, written)
	}
	if err != nil || !info.Mode().IsRegular() { // a pipe can be read only once
		data, err := readBounded(f)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		raw = bytes.NewReader(data)
	}
	p, err := readProfile(ctx, name, raw)
	if err != nil {
		return err
	}
	return use(p)
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxCompressed+1))
	if err == nil && len(data) > maxCompressed {
		err = fmt.Errorf("this is larger than %d MiB; take a profile of a shorter time", maxCompressed>>20)
	}
	return data, err
}

func readProfile(ctx context.Context, name string, raw io.ReadSeeker) (*profile, error) {
	p := &profile{name: name, raw: raw, functions: map[uint64]function{}, locations: map[uint64][]line{}}
	var mapping, buildID uint64
	texts := 0
	err := p.scan(ctx, func(field int, v uint64, data []byte) error {
		switch field {
		case 1:
			m, err := numeric(data)
			if p.types = append(p.types, m[1]); err != nil {
				return err
			}
		case 3:
			if mapping != 0 {
				return nil
			}
			m, err := numeric(data)
			mapping, buildID = m[5], m[6]
			return err
		case 4:
			return p.location(data)
		case 5:
			m, err := numeric(data)
			p.functions[m[1]] = function{m[2], m[4], int64(m[5])}
			return err
		case 6:
			if texts += len(data); texts > maxText {
				return errors.New("its names take too much memory")
			}
			p.text = append(p.text, string(data))
		case 9:
			p.taken = time.Unix(0, int64(v))
		case 10:
			p.duration = time.Duration(v)
		case 12:
			p.period = int64(v)
		}
		if len(p.locations) > maxEntries || len(p.functions) > maxEntries || len(p.text) > maxEntries || len(p.types) > 64 {
			return errors.New("its tables take too much memory")
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%s is no profile that can be read (%w); name a file%s", name, err, written)
	}
	if mapping != 0 || buildID != 0 {
		p.program = path.Base(p.string(mapping)) + " " + p.string(buildID)
	}
	return p, nil
}

func (p *profile) string(i uint64) string {
	if i < uint64(len(p.text)) {
		return p.text[i]
	}
	return ""
}

// column returns the index of a kind of value, or -1.
func (p *profile) column(kind string) int {
	return slices.IndexFunc(p.types, func(t uint64) bool { return p.string(t) == kind })
}

func (p *profile) location(data []byte) error {
	var id uint64
	var lines []line
	err := fields(data, func(field int, v uint64, data []byte) error {
		switch field {
		case 1:
			id = v
		case 4:
			m, err := numeric(data)
			lines = append(lines, line{m[1], int64(m[2])})
			return err
		}
		return nil
	})
	p.locations[id] = lines
	return err
}

// A sample is reused for the next one.
type sample struct {
	locations []uint64
	values    []int64
	size      int64 // of each object, or 0 if the profile does not say
}

// samples calls f for each sample.
func (p *profile) samples(ctx context.Context, f func(*sample)) error {
	var s sample
	return p.scan(ctx, func(field int, _ uint64, data []byte) error {
		if field != 2 {
			return nil
		}
		s.locations, s.values, s.size = s.locations[:0], s.values[:0], 0
		err := fields(data, func(field int, v uint64, data []byte) error {
			switch field {
			case 1:
				return numbers(v, data, func(v uint64) { s.locations = append(s.locations, v) })
			case 2:
				return numbers(v, data, func(v uint64) { s.values = append(s.values, int64(v)) })
			case 3:
				label, err := numeric(data)
				if p.string(label[1]) == "bytes" {
					s.size = int64(label[3])
				}
				return err
			}
			return nil
		})
		if err == nil && len(s.values) == len(p.types) {
			f(&s)
		}
		return err
	})
}

// scan calls f for each field of the outermost message, with its bytes or its number.
func (p *profile) scan(ctx context.Context, f func(field int, v uint64, data []byte) error) error {
	if _, err := p.raw.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(p.raw, 64<<10)
	head, _ := r.Peek(512)
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		limited := &io.LimitedReader{R: z, N: maxBytes}
		r = bufio.NewReaderSize(limited, 64<<10)
	} else if err := otherThanProfile(head); err != nil {
		return err
	}
	var buf []byte
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		tag, err := binary.ReadUvarint(r)
		if err == io.EOF && n > 0 {
			return nil
		}
		if err != nil {
			return unexpected(err)
		}
		var v uint64
		if v, buf, err = readField(r, tag, buf); err != nil {
			return err
		}
		if tag>>3 == 0 || tag>>3 > 100 {
			return errNoProfile
		}
		if err := f(int(tag>>3), v, buf); err != nil {
			return err
		}
	}
}

// readField reads the value of a field: a number, or bytes in buf or a larger slice.
func readField(r *bufio.Reader, tag uint64, buf []byte) (v uint64, _ []byte, err error) {
	switch tag & 7 {
	case 0:
		if v, err = binary.ReadUvarint(r); err != nil {
			return 0, buf, unexpected(err)
		}
		return v, buf[:0], nil
	case 2:
		size, err := binary.ReadUvarint(r)
		if err != nil {
			return 0, buf, unexpected(err)
		}
		if size > maxMessage {
			return 0, buf, errNoProfile
		}
		if uint64(cap(buf)) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if _, err := io.ReadFull(r, buf); err != nil {
			return 0, buf, unexpected(err)
		}
		return 0, buf, nil
	}
	return 0, buf, errNoProfile
}

var errNoProfile = errors.New("its contents have another format")

func unexpected(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it is empty or cut off")
	}
	return err
}

// otherThanProfile recognizes common mistakes.
func otherThanProfile(head []byte) error {
	switch {
	case bytes.HasPrefix(head, []byte("heap profile:")):
		return errors.New("it is a text profile: leave out debug=1")
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")):
		return errors.New("it is a web page: the address has to end in /debug/pprof/allocs")
	}
	return nil
}

// fields calls f for each field of a message.
func fields(data []byte, f func(field int, v uint64, data []byte) error) error {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return errNoProfile
		}
		data = data[n:]
		var v uint64
		var inner []byte
		switch tag & 7 {
		case 0, 2:
			if v, n = binary.Uvarint(data); n <= 0 {
				return errNoProfile
			}
			data = data[n:]
			if tag&7 == 2 {
				if v > uint64(len(data)) {
					return errNoProfile
				}
				inner, data = data[:v:v], data[v:]
			}
		default:
			return errNoProfile
		}
		if err := f(int(tag>>3), v, inner); err != nil {
			return err
		}
	}
	return nil
}

// numeric returns the numbers of a message, by their fields.
func numeric(data []byte) (m [8]uint64, err error) {
	err = fields(data, func(field int, v uint64, _ []byte) error {
		if field < len(m) {
			m[field] = v
		}
		return nil
	})
	return m, err
}

// numbers calls f for a number, or for each of a packed list.
func numbers(v uint64, packed []byte, f func(uint64)) error {
	if packed == nil {
		f(v)
		return nil
	}
	for len(packed) > 0 {
		v, n := binary.Uvarint(packed)
		if n <= 0 {
			return errNoProfile
		}
		packed = packed[n:]
		f(v)
	}
	return nil
}

// A mark has the kinds of memory that a function makes, as bits.
type mark int

const (
	ofProfiler mark = 1 << iota // memory that is made only because somebody looks
	ofStart                     // memory that is made before main begins
	ofOnce                      // memory of a sync.Once, of which there may be many
)

// marksOf has the marks of functions, by the names of profiles.
var marksOf = map[string]mark{
	"runtime.doInit":                   ofStart,
	"runtime.doInit1":                  ofStart,
	"sync.(*Once).doSlow":              ofOnce,
	"runtime/pprof.(*Profile).WriteTo": ofProfiler,
	"runtime/pprof.WriteHeapProfile":   ofProfiler,
	"runtime/pprof.StartCPUProfile":    ofProfiler,
	"runtime/pprof.StopCPUProfile":     ofProfiler,
	"runtime/pprof.profileWriter":      ofProfiler,
	"net/http/pprof.handler.ServeHTTP": ofProfiler,
	"net/http/pprof.Index":             ofProfiler,
	"net/http/pprof.Profile":           ofProfiler,
	"net/http/pprof.Symbol":            ofProfiler,
	"net/http/pprof.Trace":             ofProfiler,
}

// marks returns the marks of all functions of a stack.
func (p *profile) marks(locations []uint64) (m mark) {
	if p.marked == nil {
		p.marked = map[uint64]mark{}
		for id, f := range p.functions {
			if own := marksOf[p.string(f.name)]; own != 0 {
				p.marked[id] = own
			}
		}
	}
	for _, id := range locations {
		for _, l := range p.locations[id] {
			m |= p.marked[l.function]
		}
	}
	return m
}
