//go:build !unix

package main

func onLeash(func()) {}
