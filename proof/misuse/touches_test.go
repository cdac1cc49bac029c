//go:build go1.25

package misuse_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"hash/maphash"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/internal/testenv"
)

// A touch reads or writes memory after its Put, on the line that ends with "// touch: " and its name. b
// is 1000 bytes of memory that was put; other has as many bytes.
type touch struct {
	name string
	do   func(b, other []byte)
}

type header struct {
	kind   uint16
	length uint32
}

var touchPool basin.BytePool

var touches = []touch{
	{"read first", func(b, other []byte) {
		other[0] = b[0] // touch: read first
	}},
	{"read last", func(b, other []byte) {
		other[0] = b[len(b)-1] // touch: read last
	}},
	{"write first", func(b, other []byte) {
		b[0] = 1 // touch: write first
	}},
	{"write last", func(b, other []byte) {
		b[:cap(b)][cap(b)-1] = 1 // touch: write last
	}},
	{"increment", func(b, other []byte) {
		b[500]++ // touch: increment
	}},
	{"unaligned word", func(b, other []byte) {
		binary.LittleEndian.PutUint64(b[3:], 1) // touch: unaligned word
	}},
	{"unaligned read", func(b, other []byte) {
		_ = other[binary.BigEndian.Uint32(b[5:])%10] // touch: unaligned read
	}},
	{"atomic", func(b, other []byte) {
		atomic.AddUint32((*uint32)(unsafe.Pointer(&b[0])), 1) // touch: atomic
	}},
	{"struct", func(b, other []byte) {
		h := (*header)(unsafe.Pointer(&b[0]))
		h.length = 7 // touch: struct
	}},
	{"slice of a slice", func(b, other []byte) {
		part := b[100:200][10:20]
		part[3] = 1 // touch: slice of a slice
	}},
	{"range", func(b, other []byte) {
		for _, c := range b { // touch: range
			other[0] += c
		}
	}},
	{"array", func(b, other []byte) {
		a := [16]byte(b[8:]) // touch: array
		copy(other, a[:])
	}},
	{"copy from", func(b, other []byte) {
		copy(other, b) // touch: copy from
	}},
	{"copy to", func(b, other []byte) {
		copy(b, other) // touch: copy to
	}},
	{"copy one byte", func(b, other []byte) {
		copy(b[999:], other) // touch: copy one byte
	}},
	{"clear", func(b, other []byte) {
		clear(b) // touch: clear
	}},
	{"append from", func(b, other []byte) {
		_ = append(other, b...) // touch: append from
	}},
	{"append to", func(b, other []byte) {
		_ = append(b, 1) // touch: append to
	}},
	{"string", func(b, other []byte) {
		sinkString = string(b) // touch: string
	}},
	{"map key", func(b, other []byte) {
		sinkInt = map[string]int{"a": 1, "b": 2}[string(b[:1])] // touch: map key
	}},
	{"unsafe string", func(b, other []byte) {
		s := unsafe.String(&b[0], len(b))
		_ = strings.Index(s, "needle") // touch: unsafe string
	}},
	{"string switch", func(b, other []byte) {
		s := unsafe.String(&b[0], 4)
		if s == string(other[:4]) { // touch: string switch
			other[0] = 1
		}
	}},
	{"bytes.Compare", func(b, other []byte) {
		_ = bytes.Compare(other, b) // touch: bytes.Compare
	}},
	{"bytes.Equal", func(b, other []byte) {
		_ = bytes.Equal(other, b) // touch: bytes.Equal
	}},
	{"bytes.IndexByte", func(b, other []byte) {
		_ = bytes.IndexByte(b, 'x') // touch: bytes.IndexByte
	}},
	{"bytes.Count", func(b, other []byte) {
		_ = bytes.Count(b, []byte{0}) // touch: bytes.Count
	}},
	{"utf8.Valid", func(b, other []byte) {
		_ = utf8.Valid(b) // touch: utf8.Valid
	}},
	{"crc32", func(b, other []byte) {
		_ = crc32.ChecksumIEEE(b) // touch: crc32
	}},
	{"crc32 Castagnoli", func(b, other []byte) {
		_ = crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) // touch: crc32 Castagnoli
	}},
	{"adler32", func(b, other []byte) {
		_ = adler32.Checksum(b) // touch: adler32
	}},
	{"md5", func(b, other []byte) {
		_ = md5.Sum(b) // touch: md5
	}},
	{"sha256", func(b, other []byte) {
		_ = sha256.Sum256(b) // touch: sha256
	}},
	{"maphash", func(b, other []byte) {
		_ = maphash.Bytes(maphash.MakeSeed(), b) // touch: maphash
	}},
	{"aes block", func(b, other []byte) {
		c, _ := aes.NewCipher(make([]byte, 16))
		c.Encrypt(other, b[:16]) // touch: aes block
	}},
	{"aes gcm", func(b, other []byte) {
		c, _ := aes.NewCipher(make([]byte, 16))
		g, _ := cipher.NewGCM(c)
		g.Seal(other[:0], make([]byte, 12), b[:500], nil) // touch: aes gcm
	}},
	{"aes ctr", func(b, other []byte) {
		c, _ := aes.NewCipher(make([]byte, 16))
		cipher.NewCTR(c, make([]byte, 16)).XORKeyStream(b, other[:500]) // touch: aes ctr
	}},
	{"xor", func(b, other []byte) {
		subtle.XORBytes(other, other, b) // touch: xor
	}},
	{"big number", func(b, other []byte) {
		new(big.Int).SetBytes(b) // touch: big number
	}},
	{"hex", func(b, other []byte) {
		_ = hex.EncodeToString(b) // touch: hex
	}},
	{"base64", func(b, other []byte) {
		base64.StdEncoding.Encode(b, other[:100]) // touch: base64
	}},
	{"flate", func(b, other []byte) {
		w, _ := flate.NewWriter(io.Discard, 1)
		w.Write(b) // touch: flate
	}},
	{"json.Unmarshal", func(b, other []byte) {
		var v any
		_ = json.Unmarshal(b, &v) // touch: json.Unmarshal
	}},
	{"json.Marshal", func(b, other []byte) {
		_, _ = json.Marshal(struct{ B []byte }{b}) // touch: json.Marshal
	}},
	{"gob", func(b, other []byte) {
		_ = gob.NewEncoder(io.Discard).Encode(b) // touch: gob
	}},
	{"fmt", func(b, other []byte) {
		sinkString = fmt.Sprintf("%x", b) // touch: fmt
	}},
	{"regexp", func(b, other []byte) {
		_ = regexp.MustCompile("a+b").Match(b) // touch: regexp
	}},
	{"sort", func(b, other []byte) {
		sort.Slice(b, func(i, j int) bool { return b[i] < b[j] }) // touch: sort
	}},
	{"slices.Sort", func(b, other []byte) {
		slices.Sort(b) // touch: slices.Sort
	}},
	{"slices.Reverse", func(b, other []byte) {
		slices.Reverse(b) // touch: slices.Reverse
	}},
	{"io.ReadFull", func(b, other []byte) {
		_, _ = io.ReadFull(bytes.NewReader(other), b[17:]) // touch: io.ReadFull
	}},
	{"bytes.Reader", func(b, other []byte) {
		other[0], _ = bytes.NewReader(b).ReadByte() // touch: bytes.Reader
	}},
	{"bytes.Buffer", func(b, other []byte) {
		w := bytes.NewBuffer(b[:0])
		w.WriteString("text") // touch: bytes.Buffer
	}},
	{"bufio", func(b, other []byte) {
		w := bufio.NewWriter(io.Discard)
		_, _ = w.Write(b[:10]) // touch: bufio
	}},
	{"io.Copy", func(b, other []byte) {
		_, _ = io.Copy(&strings.Builder{}, bytes.NewReader(b)) // touch: io.Copy
	}},
	{"strings.Builder", func(b, other []byte) {
		var s strings.Builder
		s.Write(b) // touch: strings.Builder
	}},
	{"closure", func(b, other []byte) {
		f := func() {
			b[1] = 2 // touch: closure
		}
		f()
	}},
	{"deferred", func(b, other []byte) {
		defer func() {
			b[1] = 2 // touch: deferred
		}()
	}},
	{"goroutine", func(b, other []byte) {
		done := make(chan error)
		go func() {
			defer close(done)
			done <- basincheck.Catch(func() {
				b[1] = 2 // touch: goroutine
			})
		}()
		<-done
		<-done
	}},
	{"Buffer", func(_, other []byte) {
		w := basin.GetBuffer()
		w.Write(other)
		b := w.Bytes()
		basin.PutBuffer(w)
		b[0] = 1 // touch: Buffer
	}},
	{"Buffer that grows", func(_, other []byte) {
		w := basin.GetBuffer()
		defer basin.PutBuffer(w)
		w.Write(other)
		b := w.Bytes()
		w.Write(make([]byte, 100_000))
		b[0] = 1 // touch: Buffer that grows
	}},
	{"Buffer of a Pool", func(_, other []byte) {
		var p basin.BufferPool
		w := p.Get()
		w.Write(other)
		b := w.Bytes()
		p.Put(w)
		sinkString = string(b[:100]) // touch: Buffer of a Pool
	}},
	{"Shared", func(_, other []byte) {
		s := basin.Default().NewShared(basin.Get(1000))
		b := s.Bytes()
		s.Release()
		b[0] = 1 // touch: Shared
	}},
	{"ReadAll", func(_, other []byte) {
		b, _ := basin.ReadAll(bytes.NewReader(other))
		basin.Put(b)
		b[0] = 1 // touch: ReadAll
	}},
	{"Append", func(_, other []byte) {
		b := basin.Get(64)
		c := basin.Append(b, other...)
		defer basin.Put(c)
		b[0] = 1 // touch: Append
	}},
	{"Clone", func(_, other []byte) {
		b := basin.Append(nil, other...)
		basin.Put(b)
		b[0] = 1 // touch: Clone
	}},
	{"under a ceiling", func(_, other []byte) {
		p := basin.BytePool{MaxInUse: 1 << 20}
		b := p.Get(1000)
		p.Put(b)
		b[0] = 1 // touch: under a ceiling
	}},
	{"Zero", func(_, other []byte) {
		p := basin.BytePool{Zero: true}
		b := p.Get(1000)
		p.Put(b)
		b[0] = 1 // touch: Zero
	}},
}

var (
	sinkString string
	sinkInt    int
)

// own reports whether x takes and puts memory of its own.
func own(x touch) bool {
	i := slices.IndexFunc(touches, func(x touch) bool { return x.name == "Buffer" })
	return slices.ContainsFunc(touches[i:], func(y touch) bool { return y.name == x.name })
}

// runTouch runs the touch of the given name, to end the process.
func runTouch(name string) {
	for _, x := range touches {
		if x.name == name {
			x.do(lateMemory(), make([]byte, 1000, 4000))
		}
	}
}

// lateMemory returns memory that was put.
func lateMemory() []byte {
	b := touchPool.Get(1000)
	touchPool.Put(b)
	return b
}

// lineOf returns the line of a touch in this file, and the file.
func lineOf(t *testing.T, name string) (file string, line int) {
	t.Helper()
	_, file, _, _ = runtime.Caller(0)
	source, err := os.ReadFile(filepath.Base(file))
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range strings.Split(string(source), "\n") {
		if strings.HasSuffix(text, "// touch: "+name) {
			return file, i + 1
		}
	}
	t.Fatalf("no line for %s", name)
	return file, 0
}

// firstIn returns the innermost line of s in the file.
func firstIn(s basincheck.Stack, file string) int {
	for _, f := range s.Frames() {
		if f.File == file {
			return f.Line
		}
	}
	return 0
}

// TestTouches: each touch is reported once, with the line of the touch, of the Put and of the acquisition, and
// the goroutine goes on.
func TestTouches(t *testing.T) {
	for _, level := range []basincheck.Settings{{Level: basincheck.Sampled, Every: 1, Guard: true}, {Level: basincheck.Full, Guard: true}} {
		t.Run(level.Level.String(), func(t *testing.T) {
			told := pooltest.BeginChecks(t, level)
			if !basincheck.Now().Guard {
				t.Skip("no guarded memory here")
			}
			for _, x := range touches {
				file, line := lineOf(t, x.name)
				other := make([]byte, 1000, 4000)
				err := basincheck.Catch(func() { x.do(lateMemory(), other) })
				got := told.Take()
				if len(got) != 1 || x.name != "goroutine" && (err == nil || err.Error() != got[0].Error()) {
					t.Errorf("%s: %d reports: %v; error %v", x.name, len(got), got, err)
					continue
				}
				r := got[0]
				if r.Kind != basincheck.UseAfterPut || firstIn(r.Here, file) != line {
					t.Errorf("%s: want line %d: %v", x.name, line, r)
				}
				if firstIn(r.FirstPut, file) == 0 || firstIn(r.Acquired, file) == 0 || r.Offset < 0 || r.Offset >= r.Size || r.Count == 0 {
					t.Errorf("%s: incomplete: %v", x.name, r)
				}
			}
			t.Logf("%d touches after a Put, each in one report, at its line", len(touches))
			// The same without misuse.
			b, other := touchPool.Get(1000), make([]byte, 1000, 4000)
			for _, x := range touches {
				if own(x) {
					continue
				}
				clear(b)
				if err := basincheck.Catch(func() { x.do(b, other) }); err != nil {
					t.Errorf("%s before the Put: %v", x.name, err)
				}
			}
			touchPool.Put(b)
			if got := told.Take(); got != nil {
				t.Errorf("reported before the Put: %v", got)
			}
		})
	}
}

// TestTouchesEnd: without Catch, a touch ends the process, and Go's message has its line.
func TestTouchesEnd(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("there are no processes here")
	}
	if testenv.Race {
		t.Skip("the same without the race detector")
	}
	for i, x := range touches {
		if i%5 != 0 && !pooltest.Long() || x.name == "goroutine" {
			continue
		}
		file, line := lineOf(t, x.name)
		t.Setenv(touchVariable, x.name)
		for _, level := range []string{"sampled=1,guard", "full,guard"} {
			_, stderr, err := pooltest.RunChecked(t, level, os.Args[0])
			if err == nil || !strings.Contains(stderr, "unexpected fault address 0x") || !strings.Contains(strings.ReplaceAll(stderr, "\n", " "), fmt.Sprintf("%s:%d ", file, line)) {
				t.Errorf("%s: %s: %v, want a fault at line %d:\n%s", level, x.name, err, line, stderr)
			}
		}
	}
}
