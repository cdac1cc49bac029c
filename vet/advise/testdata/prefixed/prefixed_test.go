package corpus

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

func TestAll(t *testing.T) {
	for n := range 3 {
		data := bytes.Repeat([]byte("data "), 100*n)
		var b bytes.Buffer
		Prefixed(&b, 7, 3, data)
		Literal(&b, 'c', string(data))
		fmt.Fprintln(&b, Converted(data, ""), Converted(nil, ""), Converted(data, "abc"))
		Header(&b, data)
		Nested(&b, data, []byte("tail"), 1)
		Nested(&b, nil, nil, 1)
		Argument(&b, 9, data)
		Rounds(&b, [][]byte{data, nil, data[:len(data)/2]})
		Grown(&b, data)
		Later(&b, 3, data)
		Twice(&b, data)
		Behind(&b, data)
		Read(&b, data)
		Kept(&b, data)
		Given(&b, make([]byte, 1, 10), data)
		fmt.Fprintln(&b, Nil(&b, nil, nil), Nil(&b, data, nil))
		Computed(&b, os.Stdout)
		b.Write(Rest(&b, data))
		fmt.Fprintln(&b, Moves(500), Writes(500, data), NestedNew(500))
		Carried(&b, [][]byte{data, data})
		fmt.Println(n, b.Len(), b.String())
	}
}
