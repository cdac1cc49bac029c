// A buffer of a FixedPool, or memory under a ceiling, is lost for good if it
// is not put.
package fixedleak

import (
	"net"

	"github.com/basin-go/basin"
)

var (
	fixed   = &basin.FixedPool{Count: 64, Size: 1500}
	bounded = &basin.BytePool{MaxInUse: 1 << 20}
)

func BugFixed(conn net.Conn) error {
	b := fixed.Get() // BUG
	n, err := conn.Read(b)
	if err != nil {
		return err // ALSO
	}
	_, err = conn.Write(b[:n])
	fixed.Put(b)
	return err
}

func BugCeiling(conn net.Conn) error {
	b := bounded.Get(1500) // BUG
	if _, err := conn.Read(b); err != nil {
		return err // ALSO
	}
	bounded.Put(b)
	return nil
}

func LegalFixed(conn net.Conn) error {
	b := fixed.Get()
	defer fixed.Put(b)
	n, err := conn.Read(b)
	if err != nil {
		return err
	}
	_, err = conn.Write(b[:n])
	return err
}

func LegalHandedOver(conn net.Conn) ([]byte, error) {
	b := fixed.Get()
	n, err := conn.Read(b)
	if err != nil {
		fixed.Put(b)
		return nil, err
	}
	return b[:n], nil
}

func LegalTry(conn net.Conn) error {
	b, ok := fixed.TryGet()
	if !ok {
		return net.ErrClosed
	}
	_, err := conn.Write(b)
	fixed.Put(b)
	return err
}

func LegalUnbounded(conn net.Conn) error {
	b := basin.Get(1500)
	if _, err := conn.Read(b); err != nil {
		return err
	}
	basin.Put(b)
	return nil
}
