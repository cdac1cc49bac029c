// Package stress has pools of every kind used by many goroutines at once, under every disturbance that there is.
package stress_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

func TestMain(m *testing.M) { pooltest.Main(m) }
