//go:build go1.25

// Package misuse has programs that misuse pools, and programs that only look as if they did. It
// tests the reports of checks on them at every level, and those of vet.
package misuse_test

import (
	"os"
	"slices"
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
	"github.com/basin-go/basin/proof/misuse/testdata/misuse"
	"github.com/basin-go/basin/proof/misuse/testdata/racing"
)

// The test binary also runs the programs that end their process: if set, one of the first three
// variables names the program to run instead of the tests. The last sets the level of checks
// of a test in its own process.
const (
	touchVariable  = "BASIN_TEST_TOUCH"
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
	if name := os.Getenv(touchVariable); name != "" {
		runTouch(name)
		return
	}
	pooltest.Main(m)
}
