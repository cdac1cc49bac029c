package held

import (
	"crypto/cipher"
	"io"
	"sync"
)

// restic/restic#2586: Seal may allocate, and the slice from before is freed.
var treeBufs = sync.Pool{New: func() any { return make([]byte, 0, 4096) }}

func getTreeBuf() []byte { return treeBufs.Get().([]byte) }

func freeTreeBuf(b []byte) { treeBufs.Put(b[:0]) }

type repo struct {
	key   cipher.AEAD
	nonce func() []byte
	w     io.Writer
}

func (r *repo) BugSaveBlob(data []byte) (int, error) {
	ciphertext := getTreeBuf()
	defer freeTreeBuf(ciphertext) // BUG
	ciphertext = ciphertext[:0]
	nonce := r.nonce()
	ciphertext = append(ciphertext, nonce...)
	ciphertext = r.key.Seal(ciphertext, nonce, data, nil)
	if len(ciphertext) == 0 {
		return 0, io.ErrShortWrite
	}
	return r.w.Write(ciphertext)
}
