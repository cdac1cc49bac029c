package advise

import (
	"context"
	"errors"
	"net"
	"net/http"
)

// A pipeServer serves over connections in memory, which synctest can wait for.
type pipeServer struct {
	server    *http.Server
	transport *http.Transport
	conns     chan net.Conn
	closed    chan struct{}
}

func newPipeServer(h http.Handler) *pipeServer {
	p := &pipeServer{server: &http.Server{Handler: h}, conns: make(chan net.Conn), closed: make(chan struct{})}
	p.transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case p.conns <- theirs:
			return ours, nil
		case <-p.closed:
			return nil, errors.New("closed")
		}
	}}
	go p.server.Serve(p)
	return p
}

func (p *pipeServer) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeServer) Close() error   { return nil }
func (p *pipeServer) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipeServer) close() {
	p.transport.CloseIdleConnections()
	close(p.closed)
	p.server.Close()
}
