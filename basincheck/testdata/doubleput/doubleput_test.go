//go:build go1.25

// Package doubleput has a test that passes unless it is checked.
package doubleput

import (
	"testing"

	"github.com/basin-go/basin"
)

func TestDoublePut(t *testing.T) {
	b := basin.Get(100)
	basin.Put(b)
	basin.Put(b)
}
