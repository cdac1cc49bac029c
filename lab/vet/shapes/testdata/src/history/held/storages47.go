package held

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
)

// darkweak/storages#47: a response is read from a buffer that is reset and put on
// return.
var lz4Pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func BugMapping47(raw []byte, unpack func(io.Writer, []byte) error, req *http.Request) (res *http.Response, err error) {
	if len(raw) == 0 {
		return nil, errors.New("nothing stored")
	}
	buf := lz4Pool.Get().(*bytes.Buffer)
	defer func() {
		buf.Reset()
		lz4Pool.Put(buf)
	}()
	if err = unpack(buf, raw); err != nil {
		return nil, err
	}
	res, err = http.ReadResponse(bufio.NewReader(buf), req)
	if err != nil {
		return nil, err
	}
	return res, nil // BUG
}
