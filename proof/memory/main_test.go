//go:build go1.25

// Package memory measures the costs of pools, the memory that they retain, and when they
// release it.
package memory_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

func TestMain(m *testing.M) { pooltest.Main(m) }
