// A buffer is freed by a deferred call; sealing moves it elsewhere.
package restic2586

import (
	"crypto/cipher"
	"sync"

	"github.com/basin-go/basin"
)

var pool = sync.Pool{New: func() any { return make([]byte, 1<<20) }}

func getBuf(n int) []byte {
	b := pool.Get().([]byte)
	if cap(b) < n {
		b = make([]byte, n)
	}
	return b[:n]
}

func freeBuf(b []byte) { pool.Put(b) }

func BugSeal(aead cipher.AEAD, nonce, plain []byte, save func([]byte) error) error {
	b := getBuf(len(plain))
	defer freeBuf(b) // BUG
	b = b[:0]
	b = aead.Seal(b, nonce, plain, nil)
	return save(b)
}

func BugBasin(plain []byte, save func([]byte) error) error {
	b := basin.Get(len(plain))[:0]
	defer basin.Put(b) // BUG
	b = basin.Append(b, plain...)
	return save(b)
}

func LegalSeal(aead cipher.AEAD, nonce, plain []byte, save func([]byte) error) error {
	b := getBuf(len(plain) + aead.Overhead())
	defer func() { freeBuf(b) }()
	b = aead.Seal(b[:0], nonce, plain, nil)
	return save(b)
}

// What Seal returns has a name of its own; the buffer stays what it is.
func LegalOther(aead cipher.AEAD, nonce, plain []byte, save func([]byte) error) error {
	b := getBuf(len(plain) + aead.Overhead())
	defer freeBuf(b)
	return save(aead.Seal(b[:0], nonce, plain, nil))
}
