//go:build go1.25 && !asan

package sizeclass

const asan = false
