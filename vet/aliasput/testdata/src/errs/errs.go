package errs

import (
	"context"
	"fmt"
	"io"

	"github.com/basin-go/basin"
)

type failure struct {
	op  string
	err error
}

func (f *failure) Error() string { return f.op }

func wrap(op string, err error) error { return &failure{op, err} }

func wrapTwice(op string, err error) error {
	if op == "" {
		return io.ErrNoProgress
	}
	return wrap(op, fmt.Errorf("wrapped: %w", err))
}

func fill(r io.Reader, b []byte) error {
	if _, err := io.ReadFull(r, b); err != nil {
		basin.Put(b)
		return wrapTwice("fill", err)
	}
	return nil
}

func twice(r io.Reader) error {
	b := basin.Get(64)
	defer basin.Put(b)
	return fill(r, b) // want `double Put: basin.Put\(b\) in fill puts b, and the deferred`
}

func legal(r io.Reader) error {
	b := basin.Get(64)
	if err := fill(r, b); err != nil {
		return err
	}
	basin.Put(b)
	return nil
}

func perhaps(op string) error {
	if op == "" {
		return nil
	}
	return wrap(op, nil)
}

// wait gives up b if its context ends.
func wait(ctx context.Context, b []byte, ready <-chan int) error {
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		basin.Put(b)
		return ctx.Err()
	}
}

func twiceAfterWait(ctx context.Context, ready <-chan int) error {
	b := basin.Get(64)
	defer basin.Put(b)
	return wait(ctx, b, ready) // want `double Put: basin.Put\(b\) in wait puts b, and the deferred`
}

func legalWait(ctx context.Context, ready <-chan int) error {
	b := basin.Get(64)
	if err := wait(ctx, b, ready); err != nil {
		return err
	}
	basin.Put(b)
	return nil
}

// Here an error says nothing of b.
func waitOrNot(ctx context.Context, b []byte, ready <-chan int) error {
	select {
	case <-ready:
		return ctx.Err()
	case <-ctx.Done():
		basin.Put(b)
		return ctx.Err()
	}
}

func legalWaitOrNot(ctx context.Context, ready <-chan int) error {
	b := basin.Get(64)
	if err := waitOrNot(ctx, b, ready); err != nil {
		return err
	}
	basin.Put(b)
	return nil
}

// One type implements sink.
type sink interface{ take(b []byte) }

type putter struct{ n int }

func (p *putter) take(b []byte) {
	p.n++
	basin.Put(b)
}

func twiceInSink(s sink) {
	b := basin.Get(64)
	s.take(b)
	basin.Put(b) // want `double Put: basin.Put\(b\) in take already put b`
}

// Two types implement either, and one puts.
type either interface{ give(b []byte) }

type gives struct{}

func (*gives) give(b []byte) { basin.Put(b) }

type keepsNone struct{}

func (*keepsNone) give(b []byte) {}

func legalEither(e either) {
	b := basin.Get(64)
	e.give(b)
	basin.Put(b)
}

// Open can be implemented elsewhere.
type Open interface{ hand(b []byte) }

type hands struct{}

func (*hands) hand(b []byte) { basin.Put(b) }

func legalOpen(o Open) {
	b := basin.Get(64)
	o.hand(b)
	basin.Put(b)
}

// refused is an error that is no pointer.
type refused struct{ n int }

func (refused) Error() string { return "refused" }

// atLeast4 puts b if it is too short.
func atLeast4(b []byte) error {
	if len(b) < 4 {
		basin.Put(b)
		return refused{len(b)}
	}
	return nil
}

func legalAtLeast4(r io.Reader) error {
	b := basin.Get(64)
	if err := atLeast4(b); err != nil {
		return err
	}
	basin.Put(b)
	return nil
}

func twiceAtLeast4(r io.Reader) error {
	b := basin.Get(64)
	defer basin.Put(b)
	return atLeast4(b) // want `double Put: basin.Put\(b\) in atLeast4 puts b`
}

func complete(b []byte) bool {
	if len(b) == 0 {
		basin.Put(b)
		return false
	}
	return true
}

func legalComplete() {
	b := basin.Get(64)
	if complete(b) {
		basin.Put(b)
	}
}

// limited drops b if it is too large, and says so. It still counts as a Put.
func limited(b []byte) bool {
	if cap(b) > 1<<20 {
		return false
	}
	basin.Put(b)
	return true
}

func twiceLimited() {
	b := basin.Get(64)
	limited(b)
	basin.Put(b) // want `double Put: basin.Put\(b\) in limited already put b`
}
