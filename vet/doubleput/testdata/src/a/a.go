package a

import (
	"bytes"
	"errors"
	"sync"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func put(b *bytes.Buffer) {
	if b == nil || b.Cap() > 1<<16 {
		return
	}
	b.Reset()
	pool.Put(b)
}

func twice() {
	b := pool.Get().(*bytes.Buffer)
	pool.Put(b)
	pool.Put(b) // want `double Put: pool.Put\(b\) already put b`
}

func deferred(fail bool) error {
	b := pool.Get().(*bytes.Buffer)
	defer put(b)
	if fail {
		put(b) // want `double Put: the deferred put\(b\) puts b once more`
		return errors.New("failed")
	}
	return nil
}

func inLoop(n int) {
	b := pool.Get().(*bytes.Buffer)
	for range n {
		b.WriteByte('x')
		pool.Put(b) // want `double Put`
	}
}

// send puts b if it fails.
func send(b *bytes.Buffer) error {
	if _, err := b.ReadByte(); err != nil {
		put(b)
		return err
	}
	return nil
}

func onError() error {
	b := pool.Get().(*bytes.Buffer)
	err := send(b)
	if err != nil {
		put(b) // want `double Put: pool.Put\(b\) in send already put b`
		return err
	}
	put(b)
	return nil
}

func legalOnError() error {
	b := pool.Get().(*bytes.Buffer)
	if err := send(b); err != nil {
		return err
	}
	put(b)
	return nil
}

func legalOnce(fail bool) {
	b := pool.Get().(*bytes.Buffer)
	once := false
	release := func() {
		if !once {
			once = true
			put(b)
		}
	}
	defer release()
	if fail {
		release()
	}
}

func legalNil(fail bool) {
	b := pool.Get().(*bytes.Buffer)
	defer func() {
		if b != nil {
			put(b)
		}
	}()
	if fail {
		put(b)
		b = nil
	}
}

func legalBranches(fail bool) {
	b := pool.Get().(*bytes.Buffer)
	if fail {
		put(b)
	} else {
		put(b)
	}
}

func legalTwo() {
	a, b := pool.Get().(*bytes.Buffer), pool.Get().(*bytes.Buffer)
	put(a)
	put(b)
}
