//go:build go1.25

package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/linkedin/goavro/v2"
)

// The server exports 10 to 300 records as an Avro file.
func serve(l net.Listener) error {
	schema := `{"type":"record","name":"order","fields":[{"name":"id","type":"long"},{"name":"customer","type":"string"},{"name":"total","type":"double"}]}`
	codec, err := goavro.NewCodec(schema)
	if err != nil {
		return err
	}
	var records []any
	for i := range 300 {
		records = append(records, map[string]any{"id": int64(i), "customer": fmt.Sprintf("customer number %d", i*i), "total": float64(i) / 4})
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("records"))
		if err != nil || n > len(records) {
			http.Error(w, "bad number of records", http.StatusBadRequest)
			return
		}
		ocf, err := goavro.NewOCFWriter(goavro.OCFConfig{W: w, Codec: codec, CompressionName: goavro.CompressionDeflateLabel})
		if err != nil {
			panic(err)
		}
		if err := ocf.Append(records[:n]); err != nil {
			panic(err)
		}
	}))
}

func connect(addr string) (request, error) {
	var body bytes.Buffer
	return decoded(addr, func(resp *http.Response, w io.Writer) error {
		body.Reset()
		if _, err := body.ReadFrom(resp.Body); err != nil {
			return err
		}
		// The file ends with a random marker. Before the first one, the order of the fields is random.
		marker := body.Bytes()[body.Len()-16:]
		_, blocks, _ := bytes.Cut(body.Bytes(), marker)
		_, err := w.Write(bytes.ReplaceAll(blocks, marker, nil))
		return err
	}, get("/orders.avro?records=10"), get("/orders.avro?records=50"), get("/orders.avro?records=300"))
}
