// Nothing is put when reading fails.
package dhcplb3

import (
	"net"
	"sync"

	"github.com/basin-go/basin"
)

var pool = sync.Pool{New: func() any { return make([]byte, 1500) }}

func BugError(conn net.PacketConn, handle func([]byte)) error {
	b := pool.Get().([]byte) // BUG
	n, _, err := conn.ReadFrom(b)
	if err != nil {
		return err // ALSO
	}
	handle(b[:n])
	pool.Put(b)
	return nil
}

func LegalError(conn net.PacketConn, handle func([]byte)) error {
	b := pool.Get().([]byte)
	defer pool.Put(b)
	n, _, err := conn.ReadFrom(b)
	if err != nil {
		return err
	}
	handle(b[:n])
	return nil
}

func LegalBoth(conn net.PacketConn, handle func([]byte)) error {
	b := pool.Get().([]byte)
	n, _, err := conn.ReadFrom(b)
	if err != nil {
		pool.Put(b)
		return err
	}
	handle(b[:n])
	pool.Put(b)
	return nil
}

// The caller of the function that is passed puts it.
func LegalPassedOn(conn net.PacketConn, out chan<- []byte) error {
	b := pool.Get().([]byte)
	n, _, err := conn.ReadFrom(b)
	if err != nil {
		pool.Put(b)
		return err
	}
	out <- b[:n]
	return nil
}

func LegalBasin(conn net.PacketConn) (int, error) {
	b := basin.Get(1500)
	defer basin.Put(b)
	n, _, err := conn.ReadFrom(b)
	return n, err
}
