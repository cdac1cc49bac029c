//go:build go1.25

package model_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// stdBuffer has the methods that basin.Buffer and bytes.Buffer share.
type stdBuffer interface {
	Available() int
	AvailableBuffer() []byte
	Bytes() []byte
	Cap() int
	Grow(n int)
	Len() int
	Next(n int) []byte
	Read(p []byte) (n int, err error)
	ReadByte() (byte, error)
	ReadBytes(delim byte) (line []byte, err error)
	ReadFrom(r io.Reader) (n int64, err error)
	ReadRune() (r rune, size int, err error)
	ReadString(delim byte) (line string, err error)
	Reset()
	String() string
	Truncate(n int)
	UnreadByte() error
	UnreadRune() error
	Write(p []byte) (n int, err error)
	WriteByte(c byte) error
	WriteRune(r rune) (n int, err error)
	WriteString(s string) (n int, err error)
	WriteTo(w io.Writer) (n int64, err error)
}

var (
	_ stdBuffer = (*basin.Buffer)(nil)
	_ stdBuffer = (*bytes.Buffer)(nil)
)

// A fuzzScript reads decisions from the bytes of a fuzz input.
type fuzzScript struct{ data []byte }

func (s *fuzzScript) more() bool { return len(s.data) > 0 }

func (s *fuzzScript) byte() byte {
	if len(s.data) == 0 {
		return 0
	}
	c := s.data[0]
	s.data = s.data[1:]
	return c
}

// int returns mostly small numbers, sometimes large or negative ones.
func (s *fuzzScript) int() int {
	switch c := int(s.byte()); {
	case c < 100:
		return c
	case c < 180:
		return (c - 100) * 17
	case c < 190:
		return -(c - 179)
	default:
		return (c - 190) * 300
	}
}

// text returns n bytes with some runes and newlines.
func (s *fuzzScript) text() []byte {
	n := min(max(s.int(), 0), 4000)
	seed := s.byte()
	text := []byte(strings.Repeat("a\nβ€😀\xff\xf0\x9fz", n/8+1)[:n])
	for i := range text {
		if i%7 == int(seed)%7 {
			text[i] ^= seed >> 3
		}
	}
	return text
}

var errScript = errors.New("an error midway")

// badReader follows its own script: short reads, no progress, data with an error, a panic, and
// impossible counts.
type badReader struct{ script fuzzScript }

func (r *badReader) Read(p []byte) (int, error) {
	if !r.script.more() {
		return 0, io.EOF
	}
	// The two Buffers offer different amounts of room: use an amount that both have.
	p = p[:min(len(p), 512)]
	switch kind := r.script.byte(); {
	case kind < 150:
		return copy(p, r.script.text()), nil
	case kind < 180:
		return copy(p, r.script.text()), errScript
	case kind < 200:
		return copy(p, r.script.text()), io.EOF
	case kind < 220:
		return 0, nil
	case kind < 230:
		panic("a panic midway")
	case kind < 240:
		return -1, nil
	case kind < 245:
		return 1 << 30, nil
	default:
		return 0, errScript
	}
}

// badWriter follows its own script.
type badWriter struct {
	script fuzzScript
	taken  []byte
}

func (w *badWriter) Write(p []byte) (int, error) {
	n := len(p)
	switch kind := w.script.byte(); {
	case kind < 100:
	case kind < 150:
		n /= 2
	case kind < 180:
		w.taken = append(w.taken, p[:n/2]...)
		return n / 2, errScript
	case kind < 190:
		w.taken = append(w.taken, p...)
		return n, errScript
	case kind < 200:
		panic("a panic midway")
	case kind < 210:
		return n + 1, nil
	default:
	}
	w.taken = append(w.taken, p[:n]...)
	return n, nil
}

// step performs on b the next operation of s, and returns its result in words. room reports
// whether both Buffers have room for n bytes. The place to which a Buffer moves its contents
// depends on its capacity, which is not compared.
func step(b stdBuffer, s fuzzScript, room func(n int) bool) (answer string, rest fuzzScript) {
	defer func() {
		if x := recover(); x != nil {
			if err, ok := x.(error); ok && strings.Contains(err.Error(), "out of range") {
				x = "out of range" // the numbers contain capacities
			}
			answer = fmt.Sprintf("panic: %v, and is bytes.ErrTooLarge: %v", x, x == bytes.ErrTooLarge)
		}
		rest = s
	}()
	op := s.byte() % 27
	say := func(format string, args ...any) { answer = fmt.Sprintf("%d: "+format, append([]any{op}, args...)...) }
	switch op {
	case 0, 1, 2:
		n, err := b.Write(s.text())
		say("%d %v", n, err)
	case 3, 4:
		n, err := b.WriteString(string(s.text()))
		say("%d %v", n, err)
	case 5, 6:
		say("%v", b.WriteByte(s.byte()))
	case 7:
		n, err := b.WriteRune(rune(s.byte()) * rune(s.byte()) * 17)
		say("%d %v", n, err)
	case 8:
		n, err := b.WriteRune(rune(-1))
		say("%d %v", n, err)
	case 9:
		p := make([]byte, max(s.int(), 0))
		n, err := b.Read(p)
		say("%d %v %q", n, err, p[:n])
	case 10:
		say("%q", b.Next(s.int()))
	case 11:
		c, err := b.ReadByte()
		say("%d %v", c, err)
	case 12, 13:
		r, size, err := b.ReadRune()
		say("%d %d %v", r, size, err)
	case 14:
		say("%v", b.UnreadByte())
	case 15:
		say("%v", b.UnreadRune())
	case 16:
		line, err := b.ReadBytes(s.byte())
		say("%q %v %v", line, err, line == nil)
	case 17:
		line, err := b.ReadString('\n')
		say("%q %v", line, err)
	case 18:
		n := s.int()
		moves := n >= 0 && !room(n)
		b.Grow(n)
		if moves {
			b.Truncate(b.Len()) // clears the state for unread
		}
		say("%v", b.Available() >= n)
	case 19:
		b.Truncate(s.int())
		say("")
	case 20:
		b.Reset()
		say("")
	case 21:
		r := &badReader{fuzzScript{[]byte{s.byte(), s.byte(), s.byte(), s.byte(), s.byte(), s.byte()}}}
		n, err := b.ReadFrom(r)
		say("%d %v", n, err)
	case 22:
		w := &badWriter{script: fuzzScript{[]byte{s.byte()}}}
		defer func() { answer += fmt.Sprintf(" took %q", w.taken) }()
		n, err := b.WriteTo(w)
		say("%d %v", n, err)
	case 23:
		n := s.int()
		if p, ok := b.(interface{ Peek(int) ([]byte, error) }); ok {
			data, err := p.Peek(n)
			say("%q %v", data, err)
		}
	case 24: // storage of the Buffer itself, written to it again
		avail := b.AvailableBuffer()
		text := s.text()
		n, err := b.Write(append(avail, text...))
		say("%d %d %v", len(avail), n, err)
	case 25:
		n, err := b.Write(b.Bytes()[:min(b.Len(), 3000)])
		say("%d %v", n, err)
	case 26:
		if data := b.Bytes(); len(data) > 0 {
			data[len(data)/2] ^= 1 // shows in later reads
		}
		say("")
	}
	return answer, s
}

// differ runs a script on both Buffers, and reports the first difference.
func differ(t *testing.T, ours *basin.Buffer, theirs *bytes.Buffer, s fuzzScript) {
	t.Helper()
	for i := 0; s.more() && i < 100; i++ {
		room := func(n int) bool { return n <= ours.Available() && n <= theirs.Available() }
		fits := map[int]bool{}
		asked := func(n int) bool { // the same answer for both
			if _, ok := fits[n]; !ok {
				fits[n] = room(n)
			}
			return fits[n]
		}
		before := s
		a, rest := step(ours, before, asked)
		b, _ := step(theirs, before, asked)
		if before.data[0]%27 == 23 {
			if _, ok := any(theirs).(interface{ Peek(int) ([]byte, error) }); !ok {
				b = a // bytes.Buffer has had Peek since Go 1.26
			}
		}
		if a != b {
			t.Fatalf("step %d:\nbasin %s\nbytes %s", i, a, b)
		}
		if a, b := ours.String(), theirs.String(); a != b {
			t.Fatalf("step %d, %d: contents\nbasin %q\nbytes %q", i, before.data[0]%27, a, b)
		}
		if ours.Len() != theirs.Len() || ours.Cap()-ours.Available() < ours.Len() || string(ours.Bytes()) != ours.String() {
			t.Fatalf("step %d: Len %d, want %d; Cap %d; Available %d", i, ours.Len(), theirs.Len(), ours.Cap(), ours.Available())
		}
		s = rest
		if theirs.Len() > 1<<13 {
			ours.Reset()
			theirs.Reset()
		}
	}
}

// differAll runs a script on Buffers of all origins.
func differAll(t *testing.T, data []byte) {
	s := fuzzScript{data}
	differ(t, new(basin.Buffer), new(bytes.Buffer), s)
	differ(t, basin.NewBuffer([]byte("hello\nworld")), bytes.NewBuffer([]byte("hello\nworld")), s)
	differ(t, basin.NewBuffer([]byte("hällo")), bytes.NewBufferString("hällo"), s)
	differ(t, basin.NewSmallBuffer(), new(bytes.Buffer), s)

	handle := basin.GetBuffer()
	differ(t, handle, new(bytes.Buffer), s)
	handle.Free()
	differ(t, handle, new(bytes.Buffer), s)
	basin.PutBuffer(handle)
	if !pooltest.FullChecks {
		differ(t, handle, new(bytes.Buffer), s) // a handle that was put is still a Buffer
		handle.Free()
	}
}

func FuzzBuffer(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		seed := make([]byte, 100)
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(differAll)
}

// TestBufferIsBytesBuffer runs FuzzBuffer's checks as a test.
func TestBufferIsBytesBuffer(t *testing.T) {
	scripts := 200
	if testing.Short() {
		scripts = 40
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range scripts {
		data := make([]byte, 20+r.IntN(400))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		differAll(t, data)
	}
}

// TestWriteOfEveryLength: Write has special cases for short lengths, and p may be the Buffer's
// own storage.
func TestWriteOfEveryLength(t *testing.T) {
	text := make([]byte, 600)
	for i := range text {
		text[i] = byte(i * 7)
	}
	for n := range 300 {
		for _, shift := range []int{-1, 0, 1, 7, 15, 16, 40, 127, 128, 200} {
			var ours basin.Buffer
			var theirs bytes.Buffer
			for _, b := range []stdBuffer{&ours, &theirs} {
				b.Grow(2000)
				b.Write(text[:10])
				p := text[:n]
				if shift >= 0 { // in the free part of the storage
					p = b.AvailableBuffer()[shift : shift+n]
					copy(p, text)
				}
				if got, err := b.Write(p); got != n || err != nil {
					t.Fatalf("Write of %d = %d, %v", n, got, err)
				}
			}
			if !bytes.Equal(ours.Bytes(), theirs.Bytes()) {
				t.Fatalf("Write of %d bytes, shift %d:\n%q, want\n%q", n, shift, &ours, &theirs)
			}
			ours.Free()
		}
	}
}

// TestUnreadAfterGrow: Grow is neither a read nor a write, so the last read can still be unread. If
// Grow moved the contents, UnreadByte changes nothing, without an error.
func TestUnreadAfterGrow(t *testing.T) {
	for _, room := range []int{0, 5000} {
		ours := basin.NewBuffer(append(make([]byte, 0, 8+room), "contents"...))
		theirs := bytes.NewBuffer(append(make([]byte, 0, 8+room), "contents"...))
		for _, b := range []stdBuffer{ours, theirs} {
			b.ReadByte()
			b.Grow(4000)
			if err := b.UnreadByte(); err != nil {
				t.Errorf("%T: UnreadByte after Grow: %v", b, err)
			}
		}
		if ours.String() != theirs.String() {
			t.Errorf("holds %q, want %q", ours, theirs)
		}
	}
}
