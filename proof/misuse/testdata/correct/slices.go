//go:build go1.25

package correct

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing/iotest"
	"time"
	"unsafe"
	"weak"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinio"
	"github.com/basin-go/basin/internal/testenv"
)

var zeroed = &basin.BytePool{Zero: true}
var small = &basin.BytePool{MaxSize: 4096}

func init() {
	add("put nil", func() { basin.Put(nil); basin.Put([]byte{}); basin.Put(basin.Get(0)); basin.Put(basin.Get(-1)) })
	add("forgotten", func() {
		b := basin.Append(nil, data...)
		basin.Default().Forget(b)
		must(bytes.Equal(b, data))
		small.Forget(nil)
		small.Forget(small.Get(10_000))
		zeroed.Forget(zeroed.Get(10)[:0])
	})
	add("put b[:0]", func() { b := basin.Get(100); basin.Put(b[:0]) })
	add("put b[:10]", func() { b := basin.Get(100); basin.Put(b[:10]) })
	add("put b[:10:cap]", func() { b := basin.Get(100); basin.Put(b[:10:cap(b)]) })
	add("put b[:cap]", func() { b := basin.Get(100); basin.Put(b[:cap(b)]) })
	add("put of the empty end", func() { b := basin.Get(64); basin.Put(b[64:]); basin.Put(b) })
	add("append within capacity", func() { b := append(basin.Get(64)[:0], text[:64]...); basin.Put(b) })
	add("AppendString onto a literal", func() { basin.Put(basin.AppendString([]byte("prefix"), text)) })
	add("Append onto a made slice", func() { basin.Put(basin.Append(make([]byte, 5), data...)) })
	add("Append onto a made slice of a class's shape", func() { basin.Put(basin.Append(make([]byte, 64), data...)) })
	add("Append onto nil", func() { basin.Put(basin.Append(nil, data...)) })
	add("Append to itself", func() { b := basin.Append(basin.Get(64)[:0], data...); basin.Put(basin.Append(b, b...)) })
	add("Append of a part of itself", func() { b := basin.Append(nil, data...); basin.Put(basin.Append(b, b[10:60]...)) })
	add("Append again and again", func() {
		b := basin.Get(1)[:0]
		for range 200 {
			b = basin.AppendString(b, text)
		}
		must(string(b) == strings.Repeat(text, 200))
		basin.Put(b)
	})
	add("Append onto a slice that a ceiling does not count", func() {
		p := &basin.BytePool{MaxInUse: 256}
		b := p.Append(p.Get(256), data...)
		p.Put(p.Append(b, data...))
		must(p.Stats().Bytes.InUse == 0)
	})
	add("Grow of a foreign slice", func() { basin.Put(basin.Grow(make([]byte, 3, 7), 100)) })
	add("Clone", func() { basin.Put(basin.AppendString(nil, text)); basin.Append(nil, nil...) })
	add("larger than MaxSize", func() { small.Put(small.Get(10_000)) })
	add("larger than MaxSize, twice", func() { b := small.Get(10_000); small.Put(b); small.Put(b) })
	add("through a Sized view", func() { s := small.Sized(1000); b := s.Get(); small.Put(b); s.Put(small.Get(1000)) })
	add("a pool that zeroes", func() {
		b := zeroed.Get(100)
		must(bytes.Equal(b, make([]byte, 100)))
		b[3] = 1
		zeroed.Put(b)
	})
	add("put in a deferred call of a loop", func() {
		for i := range 5 {
			b := basin.Get(100 * (i + 1))
			defer basin.Put(b)
		}
	})
	add("two variables exchanged", func() {
		a, b := basin.Get(100), basin.Get(100)
		a, b = b, a
		basin.Put(a)
		basin.Put(b)
	})
	add("handed over through a channel", func() {
		c, done := make(chan []byte), make(chan bool)
		go func() {
			for b := range c {
				basin.Put(b)
			}
			close(done)
		}()
		for range 10 {
			c <- basin.AppendString(nil, text)
		}
		close(c)
		<-done
	})
	add("handed on from one goroutine to the next", func() {
		var wg sync.WaitGroup
		in := make(chan []byte, 1)
		first := in
		for range 4 {
			out := make(chan []byte, 1)
			wg.Add(1)
			go func(in chan []byte) { defer wg.Done(); b := <-in; b[0]++; out <- b }(in)
			in = out
		}
		first <- basin.GetZeroed(100)
		b := <-in
		wg.Wait()
		must(b[0] == 4)
		basin.Put(b)
	})
	add("read by many, put by the last", func() {
		b := basin.AppendString(nil, text)
		var readers atomic.Int32
		var wg sync.WaitGroup
		readers.Store(4)
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				must(string(b) == text)
				if readers.Add(-1) == 0 {
					basin.Put(b)
				}
			}()
		}
		wg.Wait()
	})
	add("two owners, of whom the first puts", func() {
		b := basin.Get(100)
		var once sync.Once
		put := func() { once.Do(func() { basin.Put(b) }) }
		put()
		put()
	})
	add("put when the handler of a request panics", func() {
		defer func() { must(recover() == "handler") }()
		b := basin.Get(100)
		defer basin.Put(b)
		panic("handler")
	})
	add("put when a goroutine exits", func() {
		done := make(chan bool)
		go func() {
			defer close(done)
			b := basin.Get(100)
			defer basin.Put(b)
			runtime.Goexit()
		}()
		<-done
	})
	add("kept for ever", func() {
		if len(cache) < 100 {
			cache[len(cache)] = basin.AppendString(nil, text)
		}
		for _, b := range cache {
			must(string(b) == text)
		}
	})
	addHeap("the user's own AddCleanup on an array", func() {
		b := basin.Get(100)
		c := runtime.AddCleanup(&b[0], func(int) {}, 1)
		basin.Put(b)
		c.Stop()
	})
	addHeap("the user's own SetFinalizer on an array", func() {
		b := basin.Get(100)
		runtime.SetFinalizer(&b[0], func(*byte) {})
		runtime.GC()
		runtime.SetFinalizer(&b[0], nil)
		basin.Put(b)
	})
	add("a finalizer that puts what its object holds", func() {
		func() {
			h := &holder{b: basin.Get(100)}
			runtime.SetFinalizer(h, func(h *holder) { basin.Put(h.b) })
		}()
		testenv.RunCleanups()
	})
	add("a cleanup that puts", func() {
		func() { runtime.AddCleanup(new(holder), basin.Put, basin.Get(100)) }()
		testenv.RunCleanups()
	})
	addHeap("an array whose finalizer puts it", func() {
		func() {
			b := basin.Get(1000)
			n := cap(b)
			runtime.SetFinalizer(&b[0], func(x *byte) { basin.Put(unsafe.Slice(x, n)) })
		}()
		testenv.RunCleanups()
	})
	addHeap("a weak pointer to an array", func() {
		b := basin.Get(100)
		w := weak.Make(&b[0])
		runtime.GC()
		must(w.Value() == &b[0])
		basin.Put(b)
	})
	add("a string that ends before the Put", func() {
		b := basin.AppendString(nil, text)
		must(unsafe.String(&b[0], len(b)) == text)
		basin.Put(b)
	})
	add("pointers into an array that end before the Put", func() {
		b := basin.GetZeroed(100)
		x := &b[50]
		*x = 7
		must(b[50] == 7)
		basin.Put(b)
	})
	add("an arena of parts", func() {
		b := basin.Get(4096)
		parts := [][]byte{b[:1024:1024], b[1024:2048:2048]}
		copy(parts[1], text)
		basin.Put(b)
	})
	add("put after SetDefault", func() {
		b := basin.Get(100)
		basin.SetDefault(&basin.BytePool{})
		basin.Put(b)
		b = basin.Get(100)
		basin.SetDefault(nil)
		basin.Put(b)
	})
	add("a pool that is dropped", func() {
		p := &basin.BytePool{}
		b := p.Get(100)
		p.Put(b)
		p.Put(p.Get(100))
	})
	add("out while its pool is trimmed", func() { b := small.Get(100); small.Trim(); b[0]++; small.Put(b) })
	add("ceiling: waiters", func() {
		p := &basin.BytePool{MaxInUse: 1024}
		var wg sync.WaitGroup
		for range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				b := p.Get(512)
				b[0] = 1
				runtime.Gosched()
				p.Put(b)
			}()
		}
		wg.Wait()
		must(p.Stats().Bytes.InUse == 0)
	})
	add("ceiling: refused and canceled", func() {
		p := &basin.BytePool{MaxInUse: 512}
		b := p.Get(512)
		_, ok := p.TryGet(512)
		must(!ok)
		ctx, cancel := context.WithTimeout(context.Background(), time.Microsecond)
		defer cancel()
		_, err := p.GetContext(ctx, 512)
		must(err != nil)
		_, err = p.GetContext(context.Background(), 1024)
		must(errors.Is(err, basin.ErrLimit))
		p.Put(b)
	})
	add("ceiling: larger than it", func() {
		p := &basin.BytePool{MaxInUse: 512}
		p.Put(p.Get(1024))
	})
	add("ReadAll", func() {
		b, err := basin.ReadAll(strings.NewReader(strings.Repeat(text, 1000)))
		must(err == nil && len(b) == 1000*len(text))
		basin.Put(b)
	})
	add("ReadAll of nothing", func() { b, _ := basin.ReadAll(strings.NewReader("")); basin.Put(b) })
	add("ReadAll that fails", func() {
		_, err := basin.ReadAll(io.MultiReader(strings.NewReader(strings.Repeat(text, 1000)), iotest.ErrReader(io.ErrUnexpectedEOF)))
		must(err == io.ErrUnexpectedEOF)
	})
	add("ReadAll from a reader that panics", func() {
		defer func() { must(recover() != nil) }()
		basin.ReadAll(io.MultiReader(strings.NewReader(text), lying{}))
	})
	add("ReadAll under a ceiling", func() {
		p := &basin.BytePool{MaxInUse: 64 << 10}
		b, err := p.ReadAll(strings.NewReader(strings.Repeat(text, 200)))
		must(err == nil && len(b) == 200*len(text))
		p.Put(b)
		b, err = p.ReadAll(strings.NewReader(strings.Repeat(text, 20_000)))
		must(errors.Is(err, basin.ErrLimit) && b == nil)
		must(p.Stats().Bytes.InUse == 0)
	})
	add("Copy", func() {
		var to strings.Builder
		n, err := basinio.Copy(struct{ io.Writer }{&to}, struct{ io.Reader }{strings.NewReader(text)})
		must(n == int64(len(text)) && err == nil && to.String() == text)
	})
	add("slices from before checks began", beforeChecks)
	add("a slice that is out while levels change", func() {
		c := basincheck.Now()
		b := basin.Get(100)
		basincheck.Set(basincheck.Settings{})
		d := basin.Get(100)
		basincheck.Set(c)
		basin.Put(b)
		basin.Put(d)
	})
}

var cache = make(map[int][]byte)

type holder struct{ b []byte }

type lying struct{}

func (lying) Read(p []byte) (int, error) { return len(p) + 1, nil }

// beforeChecks puts slices from before checks began. Large items have been handed out since.
func beforeChecks() {
	c := basincheck.Now()
	basincheck.Set(basincheck.Settings{})
	var old [][]byte
	for range 200 {
		old = append(old, basin.Get(4096))
	}
	basincheck.Set(c)
	s := basin.Default().NewShared(basin.Get(4 << 20))
	h := largeHandles.Get()
	std := largeStd.Get()
	for _, b := range old {
		basin.Put(b)
	}
	largeStd.Put(std)
	largeHandles.Put(h)
	s.Release()
}

var (
	largeHandles = basin.BufferPool{InitialSize: 1 << 20}
	largeStd     = basin.StdBufferPool{InitialSize: 1 << 20}
)
