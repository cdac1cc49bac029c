package basinotel_test

import (
	"context"
	"fmt"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinotel"
)

// One registration has all pools, those made later included.
func ExampleRegister() {
	reader := sdk.NewManualReader() // a program has one that exports
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	defer provider.Shutdown(context.Background())
	registration, err := basinotel.Register(provider, basinotel.Opts{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer registration.Unregister()

	uploads := &basin.BytePool{Name: "uploads"}
	uploads.Put(uploads.Get(1000))

	var metrics metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &metrics); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range metrics.ScopeMetrics[0].Metrics {
		if m.Name != "basin.pool.puts" {
			continue
		}
		for _, point := range m.Data.(metricdata.Sum[int64]).DataPoints {
			if name, _ := point.Attributes.Value(basinotel.PoolNameKey); name.AsString() == "uploads" {
				fmt.Println(m.Name, point.Value, m.Unit)
			}
		}
	}
	uploads.Trim()
	// Output: basin.pool.puts 1 {put}
}
