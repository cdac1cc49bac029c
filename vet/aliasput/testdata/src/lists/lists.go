package lists

import (
	"io"

	"github.com/basin-go/basin"
)

func putAll(bs [][]byte) {
	for _, b := range bs {
		basin.Put(b)
	}
}

func putSome(bs [][]byte) {
	for _, b := range bs {
		if len(b) > 10 {
			basin.Put(b)
		}
	}
}

func putFirst(bs [][]byte) {
	for _, b := range bs {
		basin.Put(b)
		break
	}
}

func twice(r io.Reader) error {
	head, body := basin.Get(16), basin.Get(512)
	defer putAll([][]byte{head, body})
	if _, err := io.ReadFull(r, head); err != nil {
		basin.Put(head) // want `double Put: the deferred putAll`
		return err
	}
	return nil
}

func legal(r io.Reader) error {
	head, body := basin.Get(16), basin.Get(512)
	defer putAll([][]byte{head, body})
	_, err := io.ReadFull(r, head)
	return err
}

func legalSome(r io.Reader) error {
	head, body := basin.Get(16), basin.Get(512)
	if _, err := io.ReadFull(r, head); err != nil {
		basin.Put(head)
		basin.Put(body)
		return err
	}
	putSome([][]byte{head, body})
	basin.Put(head)
	return nil
}

func legalFirst() {
	bs := [][]byte{basin.Get(16), basin.Get(512)}
	putFirst(bs)
	basin.Put(bs[1])
}

func legalRest(n int) (bs [][]byte) {
	for range n {
		bs = append(bs, basin.Get(n))
	}
	if n > 10 {
		putAll(bs)
		return nil
	}
	return bs
}

func again(n int) {
	var bs [][]byte
	for range n {
		bs = append(bs, basin.Get(n))
	}
	putAll(bs)
	putAll(bs) // want `double Put`
}

func legalRounds(n int) {
	var bs [][]byte
	for range n {
		bs = append(bs[:0], basin.Get(n))
		putAll(bs)
	}
}
