//go:build go1.25

// Package memory measures the costs of pools, the memory that they retain, and when they
// release it.
package memory_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/basin-go/basin/internal/footprint"
	"github.com/basin-go/basin/internal/pooltest"
)

// footprintVariable names a load and a way, separated by a semicolon. If it is set, the test binary only
// measures these.
const footprintVariable = "BASIN_TEST_FOOTPRINT"

func TestMain(m *testing.M) {
	if load, way, ok := strings.Cut(os.Getenv(footprintVariable), ";"); ok {
		if err := footprint.Part(os.Stdout, footprint.Ways, load, way, 0); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	pooltest.Main(m)
}
