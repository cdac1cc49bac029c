package basinprom_test

import (
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinprom"
)

// One collector has all pools, those made later included.
func ExampleNewCollector() {
	registry := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	registry.MustRegister(basinprom.NewCollector(basinprom.Opts{}))

	uploads := &basin.BytePool{Name: "uploads"}
	uploads.Put(uploads.Get(1000))

	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "basin_gets_total") && strings.Contains(line, "uploads") {
			fmt.Print(line)
		}
	}
	uploads.Trim()
	// Output: basin_gets_total{kind="BytePool",pool="uploads"} 1
}
