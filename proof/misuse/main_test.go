// Package misuse has programs that misuse pools, and programs that only look as if they did: what
// checks report of them at every level, and what vet does.
package misuse_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

func TestMain(m *testing.M) { pooltest.Main(m) }
