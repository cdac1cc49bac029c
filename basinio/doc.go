//go:build go1.25

// Package basinio has readers, writers and a copy that hold no memory while they wait.
//
// A connection with a bufio.Reader and a bufio.Writer has 8 KiB of buffers as long as it lives, and
// most connections wait. A [Reader] and a [Writer] have the same methods, but take their buffers from
// a pool when there are bytes, and give them back with the last of them:
//
//	r := basinio.NewReader(conn)
//	w := basinio.NewWriter(conn)
//
// On connections of the system, a Reader waits without any buffer, and makes the system calls that
// a bufio.Reader makes: these are [net.TCPConn], [net.UnixConn], [net.UDPConn], [net.IPConn] and
// [os.File] on Unix. On all others, such as a [crypto/tls.Conn], it waits with 45 bytes of its own:
// if these are filled, it takes a buffer and reads again.
//
// [Copy] is io.Copy, and waits as a Reader does, but with 512 bytes in place of 45.
//
// docs/waiting.md has a table of limits.
package basinio

import (
	"sync/atomic"

	"github.com/basin-go/basin/internal/check"
)

const (
	errTwoReaders = "basinio: Reader used by two goroutines at a time"
	errTwoWriters = "basinio: Writer used by two goroutines at a time"
)

// full reports whether full checks are on.
func full() bool {
	t := check.Current.Load()
	return t != nil && t.Full()
}

// A use is a call during which no other goroutine may use the same Reader or Writer.
type use struct{ busy *atomic.Int32 }

// enter begins a use. It panics with message if there is another.
func enter(busy *atomic.Int32, message string) use {
	if !busy.CompareAndSwap(0, 1) {
		panic(message)
	}
	return use{busy}
}

func (u use) leave() { u.busy.Store(0) }
