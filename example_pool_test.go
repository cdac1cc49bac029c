//go:build go1.25

package basin_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/basin-go/basin"
)

// A Pool holds values of any type; slices need no pointer around them.
func ExamplePool() {
	words := basin.Pool[[]string]{
		// The next user gets the array, but not its contents.
		Reset: func(w []string) []string { clear(w); return w[:0] },
	}
	w := words.Get() // nil the first time, which append takes
	w = append(w, strings.Fields("to be or not to be")...)
	fmt.Println(len(w), "words")
	words.Put(w)

	w = words.Get()
	fmt.Println(len(w), "words, room for", cap(w))
	words.Put(w)
	// Output:
	// 6 words
	// 0 words, room for 6
}

// A pool of gzip writers, complete.
func ExamplePool_new() {
	writers := &basin.Pool[*gzip.Writer]{New: func() *gzip.Writer { return gzip.NewWriter(io.Discard) }}

	compress := func(dst io.Writer, s string) error {
		w := writers.Get()
		defer writers.Put(w)
		w.Reset(dst)
		io.WriteString(w, s)
		return w.Close()
	}
	var b strings.Builder
	fmt.Println(compress(&b, strings.Repeat("basin ", 1000)), b.Len() < 100)
	// Output: <nil> true
}

// A pool of temporary files removes each file that it lets go.
func ExamplePool_drop() {
	files := &basin.Pool[*os.File]{
		MaxItems: 1,
		New: func() *os.File {
			f, err := os.CreateTemp("", "example")
			if err != nil {
				panic(err)
			}
			return f
		},
		Drop: func(f *os.File) {
			f.Close()
			os.Remove(f.Name())
			fmt.Println("removed")
		},
	}
	a, b := files.Get(), files.Get()
	files.Put(a)
	files.Put(b) // there is no room for it
	files.Trim()
	// Output:
	// removed
	// removed
}

// Sixteen buffers and never more. A FixedPool is an httputil.BufferPool.
func ExampleFixedPool() {
	frames := &basin.FixedPool{Count: 16, Size: 1500}
	b := frames.Get()
	fmt.Println(len(b), frames.Stats().Items.Idle)
	frames.Put(b[:0])
	frames.Put(b) // twice: detected, dropped and counted
	fmt.Println(frames.Stats().Items.Idle, frames.Stats().Drops.Double)
	// Output:
	// 1500 15
	// 16 1
}

// A server with a memory budget lets requests wait for a while and then refuses them.
func ExampleBytePool_GetContext() {
	pool := &basin.BytePool{MaxInUse: 64 << 10}
	first := pool.Get(40 << 10)

	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := pool.GetContext(ctx, 40<<10)
	fmt.Println(err)

	pool.Put(first)
	second, err := pool.GetContext(context.Background(), 40<<10)
	fmt.Println(len(second), err)

	_, err = pool.GetContext(context.Background(), 1<<20)
	fmt.Println(errors.Is(err, basin.ErrLimit))
	// Output:
	// context deadline exceeded
	// 40960 <nil>
	// true
}
