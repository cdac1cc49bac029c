//go:build go1.25

package basinio

import (
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/basin-go/basin"
)

// limited reports whether p limits the memory in use.
func limited(p *basin.BytePool) bool { return p.MaxInUse != 0 || p.Limit != nil }

// getLimited returns a buffer of p, which is limited. It waits for room, until src is closed or its
// deadline passes: then it returns an error like that of a RawConn. If p never has room for the buffer, it
// returns an error that wraps basin.ErrLimit.
func getLimited(p *basin.BytePool, size int, src io.Reader) ([]byte, error) {
	w := watches.Get().(*watch)
	w.src = src
	m, err := p.GetContext(w, size)
	failed := w.end()
	switch {
	case err == nil:
		return m[:size], nil
	case failed != nil:
		return nil, failed
	}
	return nil, err // of a limit: the buffer can never fit, or p is a view of a reservation
}

// A watch is a context that is done when a source is closed, or its deadline passes. It asks the
// connection of the system now and then, without a system call. If there is none, it is never done.
type watch struct {
	src io.Reader

	mu    sync.Mutex
	raw   syscall.RawConn // of src, while somebody waits
	waits uint            // waits that have begun
	err   error
	done  chan struct{}
	timer *time.Timer
	pause time.Duration
}

var watches = sync.Pool{New: func() any { return &watch{done: make(chan struct{})} }}

const (
	firstPause = time.Millisecond
	maxPause   = 250 * time.Millisecond
)

func (w *watch) Deadline() (time.Time, bool) { return time.Time{}, false }

func (w *watch) Value(any) any { return nil }

func (w *watch) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Done begins the watch.
func (w *watch) Done() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.raw != nil || w.err != nil {
		return w.done
	}
	if w.raw = systemOf(w.src); w.raw != nil {
		w.waits++
		w.pause = firstPause
		if w.timer == nil {
			w.timer = time.AfterFunc(w.pause, w.look)
		} else {
			w.timer.Reset(w.pause)
		}
	}
	return w.done
}

// look asks the connection, which tells if it was closed or its deadline has passed. That may take
// long if somebody else reads from it, so look does not hold the lock meanwhile, and the wait may end.
func (w *watch) look() {
	w.mu.Lock()
	raw, wait := w.raw, w.waits
	w.mu.Unlock()
	if raw == nil {
		return
	}
	err := raw.Read(func(uintptr) bool { return true })
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.raw == nil || w.waits != wait || w.err != nil {
		return
	}
	if w.err = err; err != nil {
		close(w.done)
		return
	}
	w.pause = min(w.pause+w.pause/4, maxPause)
	w.timer.Reset(w.pause)
}

// end ends the watch, and returns the error of the connection if there is one. w must not be used
// afterwards.
func (w *watch) end() error {
	w.mu.Lock()
	if w.raw != nil {
		w.timer.Stop()
	}
	w.src, w.raw = nil, nil
	err := w.err
	w.mu.Unlock()
	if err == nil {
		watches.Put(w)
	}
	return err
}

// systemOf returns the connection of the system below src, or nil. It is there to be asked, not to
// be read.
func systemOf(src io.Reader) syscall.RawConn {
	for range 10 { // a connection may be below itself
		switch s := src.(type) {
		case syscall.Conn:
			if raw, err := s.SyscallConn(); err == nil {
				return raw
			}
			return nil
		case interface{ NetConn() net.Conn }: // a tls.Conn
			src = s.NetConn()
		case *io.LimitedReader:
			src = s.R
		default:
			return nil
		}
	}
	return nil
}
