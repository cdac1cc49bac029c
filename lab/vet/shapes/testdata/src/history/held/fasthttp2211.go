package held

import (
	"bufio"
	"io"
	"sync"
)

// valyala/fasthttp#2211: a reader is released by the stream and by the connection.
var brPool sync.Pool

func acquireReader(r io.Reader) *bufio.Reader {
	v := brPool.Get()
	if v == nil {
		return bufio.NewReaderSize(r, 4096)
	}
	br := v.(*bufio.Reader)
	br.Reset(r)
	return br
}

func releaseReader(br *bufio.Reader) { brPool.Put(br) }

type hostClient struct{ stream bool }

type bodyStream struct {
	br     *bufio.Reader
	closed bool
}

func (s *bodyStream) Close() error {
	releaseReader(s.br)
	return nil
}

func (c *hostClient) BugDo2211(conn io.Reader, skip bool) error {
	br := acquireReader(conn)
	line, err := br.ReadString('\n')
	if err != nil {
		releaseReader(br)
		return err
	}
	s := &bodyStream{br: br}
	if skip || len(line) == 0 {
		err = s.Close()
	}
	releaseReader(br) // BUG
	return err
}
