//go:build go1.25

package basin_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/internal/pooltest"
)

// A tracer is a reader that records where its data was stored.
type tracer struct {
	left, step int // bytes to come, and the most of one read
	last       error
	asked      []int // lengths of its buffers
	parts      []tracedPart
	position   int
}

type tracedPart struct {
	n     int
	start uintptr // where the data would start if all of it were in one array
}

func (r *tracer) Read(p []byte) (int, error) {
	r.asked = append(r.asked, len(p))
	if r.left == 0 {
		return 0, io.EOF
	}
	n := min(r.left, len(p), r.step)
	r.parts = append(r.parts, tracedPart{n, uintptr(unsafe.Pointer(&p[0])) - uintptr(r.position)})
	r.position += n
	if r.left -= n; r.left == 0 {
		return n, r.last
	}
	return n, nil
}

// moved returns the number of bytes that are not where they were read to.
func (r *tracer) moved(data []byte) (bytes int) {
	for _, p := range r.parts {
		if p.start != uintptr(unsafe.Pointer(unsafe.SliceData(data))) {
			bytes += p.n
		}
	}
	return bytes
}

// goSource returns the sizes of the files of Go's source.
func goSource(t *testing.T) (sizes []int) {
	err := filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			sizes = append(sizes, int(info.Size()))
		}
		return err
	})
	if err != nil || len(sizes) < 1000 {
		t.Skipf("no Go source here: %d files, %v", len(sizes), err)
	}
	return sizes
}

// TestReadAllOfGoSource counts the bytes moved after they were read, and the sizes of first reads.
// With a fixed series of chunk sizes, at least 4,700 bytes of a file must be moved.
func TestReadAllOfGoSource(t *testing.T) {
	sizes := goSource(t)
	oneP(t) // or idle slices, and thus chunk sizes, depend on the test's P
	const warmUp, requests = 2000, 20_000
	for _, tt := range []struct {
		name  string
		read  func(p *basin.BytePool, r io.Reader, size int) ([]byte, error)
		moved int // most bytes for each request
	}{
		{"ReadAll", func(p *basin.BytePool, r io.Reader, _ int) ([]byte, error) { return p.ReadAll(r) }, 7000},
		{"ReadAllSize", func(p *basin.BytePool, r io.Reader, size int) ([]byte, error) { return p.ReadAllSize(r, int64(size)) }, 1500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{}
			random := rand.New(rand.NewPCG(1, 1))
			moved, bodies := 0, 0
			begun := map[int]int{}
			for i := range warmUp + requests {
				size := sizes[random.IntN(len(sizes))]
				r := &tracer{left: size, step: math.MaxInt}
				data, err := tt.read(p, r, size)
				if err != nil || len(data) != size {
					t.Fatalf("it read %d bytes of %d, with error %v", len(data), size, err)
				}
				if i >= warmUp {
					if m := r.moved(data); m > 0 {
						moved += m
						bodies++
					}
					begun[r.asked[0]]++
				}
				p.Put(data)
			}
			t.Logf("%d bytes a request are moved, of %d %% of requests; first reads: %v", moved/requests, 100*bodies/requests, begun)
			if moved/requests > tt.moved {
				t.Errorf("%d bytes a request are moved, want at most %d", moved/requests, tt.moved)
			}
			if tt.name != "ReadAll" {
				return
			}
			var often []int
			for _, n := range begun {
				often = append(often, n)
			}
			slices.Sort(often)
			three := 0
			for _, n := range often[max(0, len(often)-3):] {
				three += n
			}
			if 100*three < 95*requests {
				t.Errorf("the three most frequent sizes to begin with are those of %d of %d requests", three, requests)
			}
		})
	}
}

// TestReadAllSize has readers with as many bytes as announced, and others.
func TestReadAllSize(t *testing.T) {
	const first = 128 << 10 // trusted before any data has arrived
	for _, tt := range []struct {
		name string
		size int64 // announced
		has  int
		last error // returned with the last data

		asked []int // lengths of the reader's buffers
		moved int
		most  int64 // bytes in use during the read
	}{
		{"as said", 5000, 5000, nil, []int{6144, 1144}, 0, 6144},
		{"as said, io.EOF with the data", 5000, 5000, io.EOF, []int{6144}, 0, 6144},
		{"a size class", 4096, 4096, nil, []int{4096, 512}, 0, 4096 + 512},
		{"a size class, io.EOF with the data", 4096, 4096, io.EOF, []int{4096}, 0, 4096},
		{"128 KiB", first, first, io.EOF, []int{first}, 0, first},
		{"1 MiB", 1 << 20, 1 << 20, io.EOF, []int{first, 1<<20 - first}, first, 1<<20 + first},
		{"5 MiB, more than the pool keeps", 5 << 20, 5 << 20, io.EOF, []int{first, 4<<20 - first, 1 << 20}, 4 << 20, 9<<20 + first},
		{"a byte more", 4096, 4097, nil, []int{4096, 512, 511}, 4097, 4096 + 512},
		{"less", 100_000, 10, nil, []int{114688, 114678}, 10, 114688},
		{"1 GiB, has ten bytes", 1 << 30, 10, nil, []int{first, first - 10}, 10, first},
		{"1 GiB, has none", 1 << 30, 0, nil, []int{first}, 0, first},
		{"nothing, has none", 0, 0, nil, []int{512}, 0, 512},
		{"nothing, has ten bytes", 0, 10, nil, []int{512, 502}, 0, 512},
		{"all", math.MaxInt64, 1000, nil, []int{first, first - 1000}, 1000, first},
		{"unknown", -1, 1000, nil, []int{4096, 3096}, 0, 4096},
		{"unknown, a fifth of the first chunk", -1, 800, nil, []int{4096, 3296}, 800, 4096},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{}
			r := &tracer{left: tt.has, step: math.MaxInt, last: tt.last}
			most := int64(0)
			watched := readerFunc(func(b []byte) (int, error) {
				most = max(most, p.Stats().Bytes.InUse)
				return r.Read(b)
			})
			data, err := p.ReadAllSize(watched, tt.size)
			if err != nil || len(data) != tt.has {
				t.Fatalf("it read %d bytes of %d, with error %v", len(data), tt.has, err)
			}
			if !slices.Equal(r.asked, tt.asked) {
				t.Errorf("the reader was given slices of %v, want %v", r.asked, tt.asked)
			}
			if moved := r.moved(data); moved != tt.moved {
				t.Errorf("%d bytes were moved, want %d", moved, tt.moved)
			}
			if most != tt.most {
				t.Errorf("%d bytes were in use, want %d", most, tt.most)
			}
			p.Put(data)
			if s := p.Stats(); s.Bytes.InUse != 0 {
				t.Errorf("%d bytes are in use after all was given back", s.Bytes.InUse)
			}
		})
	}
}

// TestReadAllKnownLength reads from readers that know their length.
func TestReadAllKnownLength(t *testing.T) {
	const size = 5000
	text := strings.Repeat("x", size)
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	file := func(skip int64) io.Reader {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if _, err := f.Seek(skip, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		return f
	}
	var ours basin.Buffer
	ours.WriteString(text)
	unread := bytes.NewReader([]byte(text))
	unread.ReadByte()
	for _, tt := range []struct {
		name string
		r    io.Reader
		has  int
		asks int // length of the first buffer
	}{
		{"bytes.Reader", bytes.NewReader([]byte(text)), size, 6144},
		{"bytes.Reader, partly read", unread, size - 1, 6144},
		{"bytes.Reader, empty", bytes.NewReader(nil), 0, 512},
		{"bytes.Buffer", bytes.NewBufferString(text), size, 6144},
		{"strings.Reader", strings.NewReader(text), size, 6144},
		{"basin.Buffer", &ours, size, 6144},
		{"limited", io.LimitReader(strings.NewReader(text), 700), 700, 768},
		{"limited to more than there is", io.LimitReader(strings.NewReader(text), 1<<40), size, 6144},
		{"limited to less than nothing", io.LimitReader(strings.NewReader(text), -1), 0, 512},
		{"limited, of unknown length", io.LimitReader(readerFunc(strings.NewReader(text).Read), 700), 700, 4096},
		{"file", file(0), size, 6144},
		{"file, read to its end", file(size), 0, 6144},
		{"unknown", readerFunc(strings.NewReader(text).Read), size, 4096},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &basin.BytePool{MaxFit: 1}
			data, err := p.ReadAll(tt.r)
			if err != nil || string(data) != text[:tt.has] {
				t.Fatalf("it read %d bytes of %d, with error %v", len(data), tt.has, err)
			}
			p.Put(data)
			if s := p.Stats(); s.Bytes.InUse != 0 {
				t.Errorf("%d bytes are in use after all was given back", s.Bytes.InUse)
			}
			classes := p.Stats().Classes
			if !slices.ContainsFunc(classes, func(c basin.ClassStats) bool { return c.Size == tt.asks && c.Gets > 0 }) {
				t.Errorf("no slice of %d bytes was asked for: %+v", tt.asks, classes)
			}
		})
	}
	t.Run("a directory", func(t *testing.T) {
		f, err := os.Open(t.TempDir())
		if err != nil {
			t.Skip(err)
		}
		defer f.Close()
		if _, err := basin.ReadAll(f); err == nil {
			t.Error("no error")
		}
	})
}

// A script is a reader that takes one step after another, and repeats the last one for ever.
type script struct {
	steps []func(p []byte) (int, error)
	calls int
}

func (s *script) Read(p []byte) (int, error) {
	step := s.steps[min(s.calls, len(s.steps)-1)]
	s.calls++
	return step(p)
}

// Steps of a script.
func gives(data string, err error) func([]byte) (int, error) {
	return func(p []byte) (int, error) { return copy(p, data), err }
}

func fills(err error) func([]byte) (int, error) {
	return func(p []byte) (int, error) { clear(p); return len(p), err }
}

func claims(n int, err error) func([]byte) (int, error) {
	return func([]byte) (int, error) { return n, err }
}

func overclaims(by int, err error) func([]byte) (int, error) {
	return func(p []byte) (int, error) { return len(p) + by, err }
}

func panics(with any) func([]byte) (int, error) {
	return func([]byte) (int, error) { panic(with) }
}

func repeat(n int, step func([]byte) (int, error), then ...func([]byte) (int, error)) (steps []func([]byte) (int, error)) {
	for range n {
		steps = append(steps, step)
	}
	return append(steps, then...)
}

// TestReadAll compares ReadAll with io.ReadAll and bytes.Buffer.ReadFrom.
func TestReadAll(t *testing.T) {
	pooltest.Reuses(t)
	type step = func([]byte) (int, error)
	play := func(steps ...step) func() io.Reader {
		return func() io.Reader { return &script{steps: steps} }
	}
	of := func(data []byte, wrap ...func(io.Reader) io.Reader) func() io.Reader {
		return func() io.Reader {
			r := io.Reader(bytes.NewReader(data))
			for _, w := range wrap {
				r = w(r)
			}
			return r
		}
	}
	data := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i * 7)
		}
		return b
	}
	eof := claims(0, io.EOF)
	const (
		alike     = ""                 // like the others
		panicking = "panics"           // like bytes.Buffer
		hopeless  = "io.ErrNoProgress" // where the others do not return
	)
	tests := []struct {
		name   string
		reader func() io.Reader
		want   string
	}{
		{"EOF at once", play(eof), alike},
		{"EOF with the data", play(gives("abc", io.EOF)), alike},
		{"EOF after the data", play(gives("abc", nil), eof), alike},
		{"error at once", play(claims(0, errReader)), alike},
		{"error with data", play(gives("abc", errReader)), alike},
		{"error with a full read", play(fills(errReader)), alike},
		{"error midway", play(repeat(10, fills(nil), claims(0, errReader))...), alike},
		{"error midway, with data", play(repeat(10, fills(nil), gives("abc", errReader))...), alike},
		{"io.ErrUnexpectedEOF", play(gives("abc", io.ErrUnexpectedEOF)), alike},
		{"EOF wrapped, which is not EOF", play(gives("abc", fmt.Errorf("not %w", io.EOF))), alike},
		{"time-out", of(data(10000), iotest.OneByteReader, iotest.TimeoutReader), alike},
		{"negative count at once", play(claims(-1, nil)), panicking},
		{"negative count midway", play(repeat(10, fills(nil), claims(-1, nil))...), panicking},
		{"negative count with EOF", play(claims(-1, io.EOF)), panicking},
		{"negative count with an error", play(claims(-1, errReader)), panicking},
		{"smallest count", play(claims(math.MinInt, nil)), panicking},
		{"too large a count at once", play(overclaims(1, nil)), panicking},
		{"too large a count midway", play(repeat(10, fills(nil), overclaims(1, nil))...), panicking},
		{"too large a count with EOF", play(overclaims(1, io.EOF)), panicking},
		{"largest count", play(claims(math.MaxInt, nil)), panicking},
		{"panic at once", play(panics("the reader's")), panicking},
		{"panic midway", play(repeat(10, fills(nil), panics("the reader's"))...), panicking},
		{"panic with an error", play(gives("abc", nil), panics(errReader)), panicking},
		{"nothing for ever", play(claims(0, nil)), hopeless},
		{"nothing for ever, after data", play(repeat(10, fills(nil), claims(0, nil))...), hopeless},
		{"nothing 100 times in a row", play(append(repeat(100, claims(0, nil)), eof)...), hopeless},
		{"nothing 99 times, then data, twice", play(append(repeat(99, claims(0, nil), gives("abc", nil)), repeat(99, claims(0, nil), gives("def", io.EOF))...)...), alike},
		{"one byte at a time", of(data(10000), iotest.OneByteReader), alike},
		{"half at a time", of(data(100000), iotest.HalfReader), alike},
		{"EOF with the last data", of(data(100000), iotest.DataErrReader), alike},
		{"one byte at a time, EOF with the last", of(data(10000), iotest.OneByteReader, iotest.DataErrReader), alike},
		{"an iotest.ErrReader", func() io.Reader { return iotest.ErrReader(errReader) }, alike},
		{"nil data", of(nil), alike},
		{"a strings.Reader that could tell its length", func() io.Reader { return strings.NewReader("abc") }, alike},
		{"a bytes.Buffer", func() io.Reader { return bytes.NewBuffer(data(5000)) }, alike},
		{"a pipe", func() io.Reader {
			r, w := io.Pipe()
			go func() {
				for range 10 {
					w.Write(data(1000))
				}
				w.CloseWithError(errReader)
			}()
			return r
		}, alike},
	}
	for _, n := range []int{1, 63, 64, 65, 4095, 4096, 4097, 8191, 8192, 8193, 16384, 65535, 65536, 65537, 1 << 20, 1<<20 + 1, 4 << 20, 4<<20 + 1, 5 << 20} {
		tests = append(tests, struct {
			name   string
			reader func() io.Reader
			want   string
		}{fmt.Sprint(n, " bytes"), of(data(n)), alike})
	}

	large := int64(20 << 20)
	if testing.Short() {
		large = 6 << 20 // more than any class, too
	}
	if pooltest.Long() {
		large = 100 << 20
	}
	for _, run := range []struct {
		config pooltest.Config
		size   int64 // announced
	}{
		{pooltest.Config{Name: "default"}, -1},
		{pooltest.Config{Name: "Zero", Zero: true}, -1},
		{pooltest.Config{Name: "small slices", MaxSize: 1024}, -1},
		{pooltest.Config{Name: "large slices", MinSize: 1 << 20}, -1},
		{pooltest.Config{Name: "keeps nothing", MaxIdle: 1}, -1},
		{pooltest.Config{Name: "said to have nothing"}, 0},
		{pooltest.Config{Name: "said to have a byte"}, 1},
		{pooltest.Config{Name: "said to have 4 KiB", Zero: true}, 4096},
		{pooltest.Config{Name: "said to have 100,000 bytes"}, 100_000},
		{pooltest.Config{Name: "said to have more than small slices", MaxSize: 1024}, 100_000},
		{pooltest.Config{Name: "said to have less than large slices", MinSize: 1 << 20}, 100_000},
		{pooltest.Config{Name: "said to have 5 MiB"}, 5 << 20},
		{pooltest.Config{Name: "said to have more than any class"}, large},
		{pooltest.Config{Name: "said to have all"}, math.MaxInt64},
		{pooltest.Config{Name: "said to have less than nothing"}, math.MinInt64},
	} {
		config := run.config
		t.Run(config.Name, func(t *testing.T) {
			p := config.Pool()
			for _, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					p.Trim()
					before := p.Stats()
					var got []byte
					var err error
					r := recovered(func() { got, err = p.ReadAllSize(tt.reader(), run.size) })

					switch tt.want {
					case alike:
						if r != nil {
							t.Fatalf("it panics: %v", r)
						}
						want, wantErr := io.ReadAll(tt.reader())
						var buffer bytes.Buffer
						n, bufferErr := buffer.ReadFrom(tt.reader())
						if fmt.Sprint(err) != fmt.Sprint(wantErr) || fmt.Sprint(err) != fmt.Sprint(bufferErr) {
							t.Errorf("its error is %v, io.ReadAll's is %v, bytes.Buffer's %v", err, wantErr, bufferErr)
						}
						if err == nil && (!bytes.Equal(got, want) || !bytes.Equal(got, buffer.Bytes()) || int64(len(got)) != n) {
							t.Errorf("it read %d bytes, io.ReadAll %d, bytes.Buffer %d", len(got), len(want), n)
						}
						if err == nil && got == nil {
							t.Error("it returns nil without an error, which io.ReadAll never does")
						}
					case panicking:
						var buffer bytes.Buffer
						want := recovered(func() { buffer.ReadFrom(tt.reader()) })
						if r == nil || want == nil {
							t.Fatalf("it panics with %v, bytes.Buffer with %v", r, want)
						}
						if err, ok := r.(error); ok && !errors.Is(err, errReader) && !strings.HasPrefix(err.Error(), "basin: ") {
							t.Errorf("it panics with %v", err)
						}
					case hopeless:
						if r != nil || err != io.ErrNoProgress {
							t.Errorf("its error is %v, it panics with %v; want %v", err, r, io.ErrNoProgress)
						}
					}
					if (err != nil || r != nil) && got != nil {
						t.Errorf("it returns %d bytes with error %v", len(got), err)
					}
					if err == nil && r == nil {
						p.Put(got)
					}
					s := p.Stats()
					if s.Bytes.InUse != 0 {
						t.Errorf("%d bytes are in use after all was given back", s.Bytes.InUse)
					}
					if s.Drops.Double != 0 || s.Drops.Foreign != 0 || s.Drops.Misaligned != 0 || s.Drops.Small != 0 {
						t.Errorf("it put memory that is not the pool's: %+v", s.Drops)
					}
					if config.MaxIdle == 0 && s.Bytes.Idle == 0 && s.Gets > before.Gets+s.Outside-before.Outside {
						t.Error("the pool got nothing back")
					}
				})
			}
		})
	}
}

// havingRead has pools that differ in earlier reads, from which ReadAll learns.
var havingRead = []struct {
	name   string
	config pooltest.Config
	sizes  []int
}{
	{"nothing", pooltest.Config{}, nil},
	{"little", pooltest.Config{}, []int{10}},
	{"1 MiB", pooltest.Config{}, []int{1 << 20}},
	{"3 MiB", pooltest.Config{}, []int{3 << 20}},
	{"3 MiB, with a MaxSize of 100,000", pooltest.Config{MaxSize: 100_000}, []int{3 << 20}},
	{"300 KB and little", pooltest.Config{Zero: true}, []int{300_000, 10, 10, 10}},
}

// poolHavingRead returns a pool that has read data of the given sizes many times.
func poolHavingRead(t *testing.T, config pooltest.Config, sizes []int) *basin.BytePool {
	p := config.Pool()
	data := make([]byte, slices.Max(append(sizes, 0)))
	for range 20 {
		for _, size := range sizes {
			b, err := p.ReadAll(bytes.NewReader(data[:size]))
			if len(b) != size || err != nil {
				t.Fatalf("it read %d bytes of %d, with error %v", len(b), size, err)
			}
			p.Put(b)
		}
	}
	return p
}

// TestReadAllFullReads has readers that fill their buffer. io.ReadAll passes them other buffers.
func TestReadAllFullReads(t *testing.T) {
	for _, before := range havingRead {
		if testing.Short() && before.config.MaxSize == 0 && len(before.sizes) == 1 {
			continue
		}
		t.Run("having read "+before.name, func(t *testing.T) { testReadAllFullReads(t, before.config, before.sizes) })
	}
}

func testReadAllFullReads(t *testing.T, config pooltest.Config, sizes []int) {
	for _, tt := range []struct {
		name string
		full int
		last func([]byte) (int, error)
	}{
		{"EOF with the first", 0, fills(io.EOF)},
		{"EOF with the second", 1, fills(io.EOF)},
		{"EOF after the first", 1, claims(0, io.EOF)},
		{"EOF after the second", 2, claims(0, io.EOF)},
		{"EOF with the tenth", 9, fills(io.EOF)},
		{"EOF after the tenth", 10, claims(0, io.EOF)},
		{"more after the tenth", 10, gives("abc", io.EOF)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := poolHavingRead(t, config, sizes)
			var want []byte
			step := func(do func([]byte) (int, error)) func([]byte) (int, error) {
				return func(b []byte) (int, error) {
					if len(b) == 0 {
						t.Fatal("it asks for nothing")
					}
					n, err := do(b)
					if n > 0 {
						b[n-1] = byte(len(want) / 7)
					}
					want = append(want, b[:n]...)
					return n, err
				}
			}
			got, err := p.ReadAll(&script{steps: repeat(tt.full, step(fills(nil)), step(tt.last))})
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("it read %d bytes of %d, with error %v", len(got), len(want), err)
			}
			p.Put(got)
			if s := p.Stats(); s.Bytes.InUse != 0 {
				t.Errorf("%d bytes are in use after all was given back", s.Bytes.InUse)
			}
		})
	}
}

// TestReadAllTakesMemoryAsDataArrives has readers that stop early. Whatever length they might
// claim, ReadAll takes memory in proportion to the data that arrived, or, if earlier readers gave
// much more, 33 times as much.
func TestReadAllTakesMemoryAsDataArrives(t *testing.T) {
	for _, before := range havingRead {
		t.Run("having read "+before.name, func(t *testing.T) {
			base, factor := 8<<10, 4
			if before.sizes != nil {
				base, factor = 160<<10, 33
			}
			testReadAllMemory(t, before.config, before.sizes, int64(base), int64(factor))
		})
	}
}

func testReadAllMemory(t *testing.T, config pooltest.Config, sizes []int, base, factor int64) {
	config.MaxFit = 1 // a larger idle slice puts more memory in use, but the pool holds no more
	for _, n := range []int{0, 1, 1000, 5000, 100_000, 1 << 20, 5 << 20} {
		for _, err := range []error{io.EOF, errReader} {
			if testing.Short() && err == errReader && n != 5000 {
				continue
			}
			t.Run(fmt.Sprint(n, " bytes, ", err), func(t *testing.T) {
				p := poolHavingRead(t, config, sizes)
				var most int64
				left := n
				r := &script{steps: []func([]byte) (int, error){func(b []byte) (int, error) {
					most = max(most, p.Stats().Bytes.InUse)
					k := min(left, len(b), max(700, n/100))
					if left -= k; left == 0 {
						return k, err
					}
					return k, nil
				}}}
				b, _ := p.ReadAll(r)
				if limit := base + factor*int64(n); most > limit {
					t.Errorf("%d bytes were in use while %d were read, want at most %d", most, n, limit)
				}
				if class := cap(p.Get(n)); cap(b) > max(class, 4*n) {
					t.Errorf("%d bytes have a capacity of %d, want at most %d", n, cap(b), max(class, 4*n))
				}
			})
		}
	}
}

// TestReadAllGoexit ends the goroutine of the reader within Read.
func TestReadAllGoexit(t *testing.T) {
	pooltest.Reuses(t)
	p := &basin.BytePool{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.ReadAll(&script{steps: repeat(10, fills(nil), func([]byte) (int, error) { runtime.Goexit(); return 0, nil })})
	}()
	<-done
	if s := p.Stats(); s.Bytes.InUse != 0 || s.Bytes.Idle == 0 {
		t.Errorf("%d bytes in use, %d idle", s.Bytes.InUse, s.Bytes.Idle)
	}
}
