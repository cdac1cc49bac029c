//go:build go1.25

// Package stress uses pools of every kind on many goroutines at once, under all known
// disturbances.
package stress_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

func TestMain(m *testing.M) { pooltest.Main(m) }
