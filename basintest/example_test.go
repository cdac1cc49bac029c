//go:build go1.25

package basintest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basintest"
)

// A recorder replaces the *testing.T of a test. It prints the failures of the test.
type recorder struct {
	testing.TB
	cleanup func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanup = f }
func (r *recorder) Errorf(format string, args ...any) {
	line, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
	fmt.Println("FAIL:", line)
}

var header []byte

// A test that keeps a slice fails when it ends.
func ExampleCheck() {
	TestServer := func(t testing.TB) {
		basintest.Check(t)
		body := basin.Get(1000)
		defer basin.Put(body)
		header = basin.Get(100) // and nobody puts it
	}

	t := &recorder{}
	TestServer(t)
	t.cleanup() // as package testing does after the test
	// Output: FAIL: basin: not put back: 1 item of 128 bytes of pool "default", acquired:
}

// A test with another subject may keep memory that it acquired. Misuse still fails it.
func ExampleAllowLeaks() {
	TestCache := func(t testing.TB) {
		basintest.Check(t, basintest.AllowLeaks())
		header = basin.Get(100)
	}

	t := &recorder{}
	TestCache(t)
	t.cleanup()
	fmt.Println("passed")
	// Output: passed
}
