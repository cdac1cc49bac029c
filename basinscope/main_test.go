//go:build go1.25

package basinscope_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

func TestMain(m *testing.M) { pooltest.Main(m) }
