package main

import (
	"fmt"

	ours "github.com/basin-go/basin/compat/poolShark"
	old "github.com/vrecan/poolShark"
)

type sharks interface {
	Get() []byte
	Put([]byte)
}

func getPut(p sharks) func(n int) {
	return func(n int) {
		for range n {
			p.Put(p.Get())
		}
	}
}

func init() {
	for _, size := range []int{16, 1 << 10, 64 << 10} {
		add(fmt.Sprintf("poolShark: BytePool of %d bytes", size), getPut(ours.NewBytePool(100, size)), getPut(old.NewBytePool(100, size)))
	}
	add("poolShark: ByteChanPool of 1024 bytes", getPut(ours.NewByteChanPool(100, 1<<10)), getPut(old.NewByteChanPool(100, 1<<10)))
	add("poolShark: ByteSyncPool of 1024 bytes", getPut(ours.NewByteSyncPool(1<<10)), getPut(old.NewByteSyncPool(1<<10)))
}
