package a

import (
	"fmt"
	"os"

	"github.com/basin-go/basin"
)

var (
	bytePool basin.BytePool
	pointer  = &basin.BytePool{MaxSize: 1 << 20}
)

func provedMany(lines []string) (n int, err error) {
	b := basin.Get(64)[:0]
	defer basin.Put(b) // want `basin.AppendString may put it first`
	for i, line := range lines {
		b = basin.AppendString(b, line)
		b[0] = byte(i)
		b = b[:len(b)-1]
		b = basin.Grow(b, 10)
	}
	b = basin.Append(b[:0], 1, 2)
	for _, c := range b {
		n += int(c)
	}
	if b == nil || len(b) > cap(b) {
		fmt.Printf("%q", b[:2])
	}
	_, err = os.Stdout.Write(b)
	return n + len(string(b)), err
}

func provedParameter(b []byte) {
	defer basin.Put((b)) // want `basin.Append may put it first`
	b = basin.Append((b), 1)
}

func provedValue(p []byte) {
	b := bytePool.Get(1)
	defer bytePool.Put(b) // want `bytePool.Append may put it first`
	b = bytePool.Append(b, p...)
}

func provedPointer(p []byte) {
	b := pointer.Get(1)
	defer pointer.Put(b) // want `pointer.Append may put it first`
	b = pointer.Append(b, p...)
}

func provedLiteral() func([]byte) {
	return func(p []byte) {
		b := basin.Get(1)
		defer basin.Put(b) // want `basin.Append may put it first`
		b = basin.Append(b, p...)
	}
}
