package basin_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/basin-go/basin"
)

func TestSharedRecyclesOnce(t *testing.T) {
	p := withPool(t, basin.Config{})
	for range 200 {
		data := basin.Get(1000)
		s := basin.NewShared(data)
		var readers sync.WaitGroup
		for range 8 {
			s.Retain()
			readers.Go(s.Release)
		}
		s.Release()
		readers.Wait()
	}
	if s := p.Stats(); s.Gets != 200 || s.Puts != 200 || s.InUseBytes != 0 || s.Drops != 0 {
		t.Errorf("%d gets, %d puts, %d drops, want each put once", s.Gets, s.Puts, s.Drops)
	}
}

func TestSharedMistakes(t *testing.T) {
	misuses(t)
	p := withPool(t, basin.Config{})
	gone := func() *basin.Shared {
		s := basin.NewShared(basin.Get(100))
		s.Retain().Release()
		s.Release()
		return s
	}
	for _, c := range []struct {
		mistake func(*basin.Shared)
		names   string
	}{
		{(*basin.Shared).Release, "one Release too many"},
		{func(s *basin.Shared) { s.Retain() }, "Shared.Retain of a Shared that has been released"},
		{func(s *basin.Shared) { s.NewReader() }, "Shared.Retain of a Shared that has been released"},
		{func(s *basin.Shared) { s.Bytes() }, "Shared.Bytes of a Shared that has been released"},
	} {
		s := gone()
		for range 3 { // and again
			message := fmt.Sprint(panicOf(func() { c.mistake(s) }))
			if !strings.HasPrefix(message, "basin: ") || !strings.Contains(message, c.names) {
				t.Errorf("panic %q, want one with %q", message, c.names)
			}
		}
	}
	// However mistakes follow each other, nothing is put again.
	s := gone()
	for i := range 100 {
		if panicOf(func() {
			if i%3 == 0 {
				s.Retain()
			} else {
				s.Release()
			}
		}) == nil {
			t.Fatalf("mistake %d did not panic", i)
		}
	}
	if s := p.Stats(); s.Gets != s.Puts || s.DropsBy.Double != 0 {
		t.Errorf("%d gets, %d puts, %d double", s.Gets, s.Puts, s.DropsBy.Double)
	}
}

// TestSharedMistakesAtOnce has many goroutines release one reference too many
// each: exactly one of all Releases recycles, and as many panic as were too many.
func TestSharedMistakesAtOnce(t *testing.T) {
	misuses(t)
	p := withPool(t, basin.Config{})
	const rounds, releases, tooMany = 200, 4, 4
	var panicked atomic.Int64
	for range rounds {
		s := basin.NewShared(basin.Get(100))
		for range releases - 1 {
			s.Retain()
		}
		var all sync.WaitGroup
		for range releases + tooMany {
			all.Go(func() {
				if panicOf(s.Release) != nil {
					panicked.Add(1)
				}
			})
		}
		all.Wait()
	}
	if n := panicked.Load(); n != rounds*tooMany {
		t.Errorf("%d Releases panicked, want %d", n, rounds*tooMany)
	}
	if s := p.Stats(); s.Puts != rounds || s.DropsBy.Double != 0 {
		t.Errorf("%d puts, want %d", s.Puts, rounds)
	}
}

func TestSharedReader(t *testing.T) {
	p := withPool(t, basin.Config{})
	var b basin.Buffer
	b.WriteString("read me")
	s := b.Share()
	if b.Len() != 0 || s.Len() != 7 || string(s.Bytes()) != "read me" {
		t.Errorf("Share left %q and made %q", &b, s.Bytes())
	}
	if data := s.Bytes(); cap(data) != len(data) {
		t.Errorf("an append to Bytes would write to what is shared: cap %d, len %d", cap(data), len(data))
	}
	r := s.NewReader()
	s.Release()
	got, err := io.ReadAll(r)
	if string(got) != "read me" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	if p.Stats().Puts != 0 {
		t.Error("recycled while a reader had it")
	}
	r.Close()
	if n := p.Stats().Puts; n != 1 {
		t.Errorf("%d puts after Close, want 1", n)
	}
	if err := r.Close(); err != nil || p.Stats().Puts != 1 {
		t.Errorf("second Close: %v, %d puts", err, p.Stats().Puts)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("Read after Close = %d, %v", n, err)
	}

	empty := basin.NewShared(nil)
	r = empty.NewReader()
	if n, err := io.Copy(io.Discard, r); n != 0 || err != nil {
		t.Errorf("an empty Shared has %d bytes, %v", n, err)
	}
	r.Close()
	empty.Release()
}

func TestSharedReaderAllocates(t *testing.T) {
	misuses(t)
	s := basin.NewShared([]byte("x"))
	if got := testing.AllocsPerRun(100, func() { s.NewReader().Close() }); got != 0 {
		t.Errorf("NewReader and Close: %v allocations", got)
	}
	s.Release()
}

var _ io.ReadSeekCloser = (*basin.SharedReader)(nil)

func TestCopyAllocatesNothing(t *testing.T) {
	reuses(t)
	text := bytes.Repeat([]byte("0123456789"), 10_000)
	plain := struct{ io.Reader }{bytes.NewReader(nil)}
	sink := struct{ io.Writer }{io.Discard}
	var reader bytes.Reader
	got := testing.AllocsPerRun(100, func() {
		reader.Reset(text)
		plain.Reader = &reader
		if n, err := basin.Copy(&sink, &plain); n != int64(len(text)) || err != nil {
			t.Errorf("Copy = %d, %v", n, err)
		}
	})
	if got != 0 {
		t.Errorf("Copy: %v allocations", got)
	}
}
