//go:build go1.25

package testenv_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/basin-go/basin/internal/testenv"
)

func TestValues(t *testing.T) {
	const name = "BASIN_TEST_OF_TESTENV"
	for _, tt := range []struct {
		text string
		get  func() any
		want any
	}{
		{"", func() any { return testenv.Bool(t, name) }, false},
		{"1", func() any { return testenv.Bool(t, name) }, true},
		{"", func() any { return testenv.Int(t, name, -7) }, -7},
		{"-12", func() any { return testenv.Int(t, name, -7) }, -12},
		{"", func() any { return testenv.Uint64(t, name, 7) }, uint64(7)},
		{"18446744073709551615", func() any { return testenv.Uint64(t, name, 7) }, uint64(1<<64 - 1)},
		{"", func() any { return testenv.Duration(t, name) }, time.Duration(0)},
		{"1m30s", func() any { return testenv.Duration(t, name) }, 90 * time.Second},
	} {
		t.Setenv(name, tt.text)
		if got := tt.get(); got != tt.want {
			t.Errorf("%q is %v, want %v", tt.text, got, tt.want)
		}
	}
}

// fatal is a test that records its fatal message instead of ending.
type fatal struct {
	testing.TB
	message string
}

func (f *fatal) Helper()                        {}
func (f *fatal) Fatalf(text string, arg ...any) { f.message = fmt.Sprintf(text, arg...) }

func TestUnparsable(t *testing.T) {
	const name = "BASIN_TEST_OF_TESTENV"
	t.Setenv(name, "many")
	for _, tt := range []struct {
		kind string
		get  func(t testing.TB)
	}{
		{"a boolean such as 1", func(t testing.TB) { testenv.Bool(t, name) }},
		{"an integer", func(t testing.TB) { testenv.Int(t, name, 1) }},
		{"an integer of at least 0", func(t testing.TB) { testenv.Uint64(t, name, 1) }},
		{"a duration such as 90s", func(t testing.TB) { testenv.Duration(t, name) }},
	} {
		f := new(fatal)
		tt.get(f)
		want := `The environment variable BASIN_TEST_OF_TESTENV is "many", but must be ` + tt.kind + "."
		if f.message != want {
			t.Errorf("the test fails with %q, want %q", f.message, want)
		}
	}
}
