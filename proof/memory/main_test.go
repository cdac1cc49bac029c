// Package memory measures what pools cost, what they keep, and when they let go of it.
package memory_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

func TestMain(m *testing.M) { pooltest.Main(m) }
