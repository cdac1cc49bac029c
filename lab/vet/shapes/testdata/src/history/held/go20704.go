package held

import (
	"errors"
	"io"
	"sync"
	"time"
)

// golang/go#20704: on a timeout the data of a frame is put while the writer still has
// it.
var frameBufs = sync.Pool{New: func() any { return make([]byte, 16<<10) }}

type h2stream struct {
	closed  chan struct{}
	writes  chan writeReq
	timeout time.Duration
}

type writeReq struct {
	p    []byte
	done chan error
}

func (st *h2stream) BugWriteData(r io.Reader) error {
	scratch := frameBufs.Get().([]byte)
	defer frameBufs.Put(scratch)
	n, err := r.Read(scratch)
	if err != nil {
		return err
	}
	req := writeReq{scratch[:n], make(chan error, 1)}
	st.writes <- req // BUG
	select {
	case err := <-req.done:
		return err
	case <-st.closed:
		return errors.New("stream closed")
	case <-time.After(st.timeout):
		return errors.New("timeout")
	}
}
