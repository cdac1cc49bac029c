package basinarrow_test

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinarrow"
)

var columns = basinarrow.Allocator{
	Bytes: &basin.BytePool{Name: "columns", MaxSize: 16 << 20, MaxIdle: 256 << 20},
}

func Example() {
	for range 3 {
		b := array.NewInt64Builder(&columns)
		for i := range 1000 {
			b.Append(int64(i))
		}
		column := b.NewInt64Array()
		fmt.Println(column.Len(), column.Value(999))
		column.Release() // the next column can reuse its memory
		b.Release()
	}
	// Output:
	// 1000 999
	// 1000 999
	// 1000 999
}
