//go:build go1.25

package main

import (
	"net"
	"net/http"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var allocator = memory.DefaultAllocator // or basin's

// The server exports 1,000 to 20,000 rows of three columns as an Arrow stream.
func serve(l net.Listener) error {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "total", Type: arrow.PrimitiveTypes.Float64}, {Name: "state", Type: arrow.BinaryTypes.String},
	}, nil)
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rows, err := strconv.Atoi(r.URL.Query().Get("rows"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		b := array.NewRecordBuilder(allocator, schema)
		defer b.Release()
		id, total, state := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.Float64Builder), b.Field(2).(*array.StringBuilder)
		for i := range rows {
			id.Append(int64(i))
			total.Append(float64(i) / 4)
			state.Append("shipped")
		}
		batch := b.NewRecord()
		defer batch.Release()
		out := ipc.NewWriter(w, ipc.WithSchema(schema), ipc.WithAllocator(allocator))
		if err := out.Write(batch); err != nil {
			panic(err)
		}
		if err := out.Close(); err != nil {
			panic(err)
		}
	}))
}

func connect(addr string) (request, error) {
	return overHTTP(addr, get("/orders.arrow?rows=1000"), get("/orders.arrow?rows=3000"), get("/orders.arrow?rows=20000"))
}
