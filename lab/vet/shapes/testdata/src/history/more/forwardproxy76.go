package more

import (
	"io"
	"net"
	"net/http"
	"sync"
)

// caddyserver/forwardproxy#76: nobody puts what is got.
var tunnelBuffersBug = sync.Pool{New: func() any { return make([]byte, 0, 32*1024) }} // BUG

type halfCloser interface{ CloseWrite() error }

func flushingCopy(dst io.Writer, src io.Reader, buf []byte) (int64, error) {
	f, ok := dst.(http.Flusher)
	if !ok {
		return io.CopyBuffer(dst, src, buf)
	}
	var written int64
	for {
		n, err := src.Read(buf)
		if n > 0 {
			m, werr := dst.Write(buf[:n])
			written += int64(m)
			f.Flush()
			if werr != nil {
				return written, werr
			}
		}
		if err != nil {
			return written, err
		}
	}
}

func tunnel(target net.Conn, in io.Reader, out io.Writer) error {
	stream := func(w io.Writer, r io.Reader) error {
		buf := tunnelBuffersBug.Get().([]byte)
		buf = buf[0:cap(buf)]
		_, err := flushingCopy(w, r, buf)
		if c, ok := w.(halfCloser); ok {
			c.CloseWrite()
		}
		return err
	}
	go stream(target, in)
	return stream(out, target)
}

func forward(w http.ResponseWriter, r *http.Response) error {
	buf := tunnelBuffersBug.Get().([]byte)
	buf = buf[0:cap(buf)]
	_, err := io.CopyBuffer(w, r.Body, buf)
	return err
}
