package demo

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
)

// Upstream is the part that serves the corpus.
type Upstream struct {
	responses map[string][]byte // by request URI, headers included
}

// UpstreamReply has the upstream's address and the size of its corpus.
type UpstreamReply struct {
	Addr    string
	Files   int
	Bytes   int
	Largest int // bytes of the largest file
}

// Start reads the corpus dir and starts to serve it.
func (u *Upstream) Start(dir string, reply *UpstreamReply) error {
	files, err := readCorpus(dir)
	if err != nil {
		return err
	}
	u.responses = make(map[string][]byte, len(files))
	for _, f := range files {
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(f.content))
		u.responses[f.uri()] = append([]byte(head), f.content...)
		reply.Bytes += len(f.content)
		reply.Largest = max(reply.Largest, len(f.content))
	}
	reply.Files = len(files)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	reply.Addr = l.Addr().String()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go u.serve(conn)
		}
	}()
	return nil
}

// serve answers the requests on conn with prepared responses: the upstream shares the machine
// with the gateway and should leave the processor to it.
func (u *Upstream) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		response, ok := u.responses[req.RequestURI]
		if !ok {
			response = []byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
		}
		if _, err := conn.Write(response); err != nil {
			return
		}
	}
}
