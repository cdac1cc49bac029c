// Package branch puts slices into other pools than they came from, behind conditions.
package branch

import (
	"context"
	"errors"

	"github.com/basin-go/basin"
)

var (
	a, b basin.BytePool
	sink byte
)

type server struct{ in, out basin.BytePool }

func returned(ctx context.Context) error {
	x, err := a.GetContext(ctx, 64)
	if err != nil {
		return err
	}
	defer basin.Put(x) // want `wrong pool: x was taken from a and is put with basin.Put`
	sink = x[0]
	return nil
}

func panics(ctx context.Context) {
	x, err := a.GetContext(ctx, 64)
	if err != nil {
		panic(err)
	}
	b.Put(x) // want `wrong pool: x was taken from a and is put into b`
}

func wrapped(ctx context.Context) error {
	x, err := a.GetContext(ctx, 64)
	if errors.Is(err, context.Canceled) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() {
		b.Put(x) // want `wrong pool`
	}()
	sink = x[0]
	return nil
}

func try() bool {
	x, ok := a.TryGet(64)
	if !ok {
		return false
	}
	basin.Put(x) // want `wrong pool`
	return true
}

func tryWithin() {
	if x, ok := a.TryGet(64); ok {
		b.Put(x) // want `wrong pool`
	}
}

func (s *server) fields(ctx context.Context) error {
	x, err := s.in.GetContext(ctx, 64)
	if err != nil {
		return err
	}
	s.out.Put(x) // want `wrong pool: x was taken from s.in and is put into s.out`
	return nil
}

func later(work func([]byte) error) error {
	x := a.Get(64)
	if err := work(x); err != nil {
		a.Put(x)
		return err
	}
	b.Put(x) // want `wrong pool`
	return nil
}

func onError(work func([]byte) error) error {
	x := a.Get(64)
	if err := work(x); err != nil {
		b.Put(x) // want `wrong pool`
		return err
	}
	a.Put(x)
	return nil
}

func inLoop(ctx context.Context, n int) error {
	for range n {
		x, err := a.GetContext(ctx, 64)
		if err != nil {
			return err
		}
		sink = x[0]
		b.Put(x) // want `wrong pool`
	}
	return nil
}

// The correct twins.

func legalReturned(ctx context.Context) error {
	x, err := a.GetContext(ctx, 64)
	if err != nil {
		return err
	}
	defer a.Put(x)
	sink = x[0]
	return nil
}

func legalTry() []byte {
	x, ok := a.TryGet(64)
	if !ok {
		x = b.Get(64)
	}
	if ok {
		a.Put(x)
		return nil
	}
	b.Put(x)
	return nil
}

func legalChosen(ctx context.Context, large bool, n int) error {
	var x []byte
	if large {
		x = a.Get(n)
	} else {
		x = b.Get(n)
	}
	sink = x[0]
	if n > 1<<10 { // the same as large, which callers know
		a.Put(x)
	} else {
		b.Put(x)
	}
	return nil
}

func legalPointer(ctx context.Context, large bool) error {
	p := &a
	if large {
		p = &b
	}
	x, err := p.GetContext(ctx, 64)
	if err != nil {
		return err
	}
	p.Put(x)
	return nil
}

func (s *server) legalFields(ctx context.Context, back bool) error {
	p := &s.in
	if back {
		p = &s.out
	}
	x, err := p.GetContext(ctx, 64)
	if err != nil {
		return err
	}
	defer p.Put(x)
	return nil
}

func legalReplaced(ctx context.Context) error {
	x, err := a.GetContext(ctx, 64)
	if err != nil {
		return err
	}
	a.Put(x)
	x = b.Get(64)
	b.Put(x)
	return nil
}

func legalFlag(ctx context.Context) (err error) {
	var x []byte
	fallback := false
	if x, err = a.GetContext(ctx, 64); err != nil {
		x, fallback = b.Get(64), true
	}
	defer func() {
		if fallback {
			b.Put(x)
		} else {
			a.Put(x)
		}
	}()
	sink = x[0]
	return nil
}
