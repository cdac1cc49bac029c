//go:build go1.25

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
)

// The server receives samples of Prometheus, and counts them.
func serve(l net.Listener) error {
	return http.Serve(l, remote.NewWriteHandler(storage{}, remote.MessageTypes{remote.WriteV2MessageType}))
}

type storage struct{}

func (storage) Store(r *http.Request, _ remote.WriteMessageType) (*remote.WriteResponse, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var request writev2.Request
	if err := request.UnmarshalVT(body); err != nil {
		return nil, err
	}
	samples := 0
	for _, series := range request.Timeseries {
		samples += len(series.Samples)
	}
	response := remote.NewWriteResponse()
	response.Samples = samples
	return response, nil
}

func connect(addr string) (request, error) {
	symbols := writev2.NewSymbolTable()
	var request writev2.Request
	for i := range 500 {
		var labels []uint32
		for _, l := range []string{"__name__", "http_requests_total", "instance", fmt.Sprintf("10.0.0.%d:9100", i%50), "path", fmt.Sprintf("/api/v1/object/%d", i)} {
			labels = append(labels, symbols.Symbolize(l))
		}
		request.Timeseries = append(request.Timeseries, &writev2.TimeSeries{
			LabelsRefs: labels, Samples: []*writev2.Sample{{Timestamp: 1_700_000_000_000 + int64(i), Value: float64(i * i)}},
		})
	}
	request.Symbols = symbols.Symbols()
	data, err := request.MarshalVT()
	if err != nil {
		return nil, err
	}
	return overHTTP(addr, post("/", snappy.Encode(nil, data), "Content-Encoding: snappy",
		"Content-Type: application/x-protobuf;proto=io.prometheus.write.v2.Request"))
}
