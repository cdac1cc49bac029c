//go:build go1.25

// Package testenv tells tests about their environment: the settings in variables named BASIN_TEST_*,
// the detectors of the build, and the garbage collector. It knows nothing of pools, so that tests
// inside any package can use it. Helpers that know pools are in internal/pooltest.
//
// Touch it for a new kind of setting. A test's own flags would turn off the cache of go test. A
// variable does not: go test notes which ones a test reads, and their values. It notes only reads in
// a running test, so call these functions there, not to initialize variables of a package.
package testenv

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Tree says that the test depends on files of the repository that are not in the module of its
// package. go test's cache overlooks such files. It does notice a change of the variable that Tree
// reads, in which scripts/test puts a checksum of all files.
func Tree() { os.Getenv("BASIN_TEST_TREE") }

// API is Tree for a test that analyzes or compiles users of the library, whose result does not depend
// on how the library works. scripts/test leaves the library's files out of this sum, but counts the
// documentation of the root.
func API() { os.Getenv("BASIN_TEST_API") }

// Bool returns the variable's value, or false if it is not set or empty.
func Bool(t testing.TB, name string) bool {
	t.Helper()
	return read(t, name, false, "a boolean such as 1", strconv.ParseBool)
}

// Int returns the variable's value, or otherwise if it is not set or empty.
func Int(t testing.TB, name string, otherwise int) int {
	t.Helper()
	return read(t, name, otherwise, "an integer", strconv.Atoi)
}

// Uint64 returns the variable's value, or otherwise if it is not set or empty.
func Uint64(t testing.TB, name string, otherwise uint64) uint64 {
	t.Helper()
	return read(t, name, otherwise, "an integer of at least 0", func(text string) (uint64, error) {
		return strconv.ParseUint(text, 10, 64)
	})
}

// Duration returns the variable's value, or 0 if it is not set or empty.
func Duration(t testing.TB, name string) time.Duration {
	t.Helper()
	return read(t, name, 0, "a duration such as 90s", time.ParseDuration)
}

// read fails the test if the variable cannot be parsed.
func read[T any](t testing.TB, name string, otherwise T, kind string, parse func(string) (T, error)) T {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	value, err := parse(text)
	if err != nil {
		t.Fatalf("The environment variable %s is %q, but must be %s.", name, text, kind)
	}
	return value
}
