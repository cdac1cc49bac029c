package child

import (
	"crypto/rand"
	"crypto/subtle"
	"io"
	"net"
	"net/rpc"
	"time"
)

// greetLimit is the time that a caller has to send the secret.
const greetLimit = 5 * time.Second

// An Address is where a child accepts calls of its siblings. Any program on the machine can
// find the port, but only callers that know the secret are answered.
type Address struct {
	Addr   string
	Secret [32]byte
}

// Listen makes this process answer calls of the receiver's methods at the returned address.
func Listen(receiver any) (Address, error) {
	server := rpc.NewServer()
	if err := server.Register(receiver); err != nil {
		return Address{}, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Address{}, err
	}
	a := Address{Addr: listener.Addr().String()}
	rand.Read(a.Secret[:])
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go a.serve(server, conn)
		}
	}()
	return a, nil
}

// serve answers a caller that sends the secret first.
func (a Address) serve(server *rpc.Server, conn net.Conn) {
	var got [len(a.Secret)]byte
	conn.SetReadDeadline(time.Now().Add(greetLimit))
	if _, err := io.ReadFull(conn, got[:]); err != nil || subtle.ConstantTimeCompare(got[:], a.Secret[:]) == 0 {
		conn.Close()
		return
	}
	conn.SetReadDeadline(time.Time{})
	server.ServeConn(conn)
}

// Dial returns a client for calls to a.
func (a Address) Dial() (*rpc.Client, error) {
	conn, err := net.Dial("tcp", a.Addr)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(a.Secret[:]); err != nil {
		conn.Close()
		return nil, err
	}
	return rpc.NewClient(conn), nil
}
