//go:build go1.25 && !race

package testenv

const Race = false
