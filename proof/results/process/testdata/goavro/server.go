//go:build go1.25

package main

import (
	"fmt"
	"net"
	"net/http"

	"github.com/linkedin/goavro/v2"
)

// The server exports 100 records as an Avro file.
func serve(l net.Listener) error {
	schema := `{"type":"record","name":"order","fields":[{"name":"id","type":"long"},{"name":"customer","type":"string"},{"name":"total","type":"double"}]}`
	codec, err := goavro.NewCodec(schema)
	if err != nil {
		return err
	}
	var records []any
	for i := range 100 {
		records = append(records, map[string]any{"id": int64(i), "customer": fmt.Sprintf("customer number %d", i*i), "total": float64(i) / 4})
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ocf, err := goavro.NewOCFWriter(goavro.OCFConfig{W: w, Codec: codec, CompressionName: goavro.CompressionDeflateLabel})
		if err != nil {
			panic(err)
		}
		if err := ocf.Append(records); err != nil {
			panic(err)
		}
	}))
}

func connect(addr string) (func() (int, error), error) {
	return overHTTP(addr, get("/orders.avro"))
}
