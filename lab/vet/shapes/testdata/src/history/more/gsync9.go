package more

import (
	"io"
	"sync"
)

// c4milo/gsync#9: a block is sent, and its buffer is put at the end of the file.
var blockBuffers = sync.Pool{New: func() any { b := make([]byte, 6*1024); return &b }}

type blockOp struct {
	Data []byte
	Err  error
}

func BugBlocks(r io.ReaderAt, out chan<- blockOp) {
	var offset int64
	for {
		p := blockBuffers.Get().(*[]byte) // ALSO
		buffer := *p
		n, err := r.ReadAt(buffer, offset)
		if err != nil && err != io.EOF {
			out <- blockOp{Err: err}
			blockBuffers.Put(p)
			return
		}
		block := buffer[:n]
		if n > 0 {
			out <- blockOp{Data: block} // BUG
			offset += int64(n)
		}
		if err == io.EOF {
			blockBuffers.Put(p)
			return
		}
	}
}
