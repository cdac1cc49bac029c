//go:build go1.25

// Package model compares BytePool with a model of it, and Buffer with bytes.Buffer.
package model_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

func TestMain(m *testing.M) { pooltest.Main(m) }
