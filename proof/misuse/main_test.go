// Package misuse has programs that misuse pools, and programs that only look as if they did: what
// checks report of them at every level, and what vet does.
package misuse_test

import (
	"os"
	"slices"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/proof/misuse/testdata/misuse"
	"github.com/basin-go/basin/proof/misuse/testdata/racing"
)

// The test binary is also the programs that end their process: the first two variables name the one to run instead of
// the tests. The third is the level of checks that a test is run with in a process of its own.
const (
	faultVariable  = "BASIN_TEST_FAULT"
	racingVariable = "BASIN_TEST_RACING"
	levelVariable  = "BASIN_TEST_LEVEL"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(faultVariable); name != "" {
		i := slices.IndexFunc(misuse.Programs, func(p misuse.Program) bool { return p.Name == name })
		misuse.Programs[i].Bug()
		return
	}
	if name := os.Getenv(racingVariable); name != "" {
		racing.Run(name)
		return
	}
	pooltest.Main(m)
}
