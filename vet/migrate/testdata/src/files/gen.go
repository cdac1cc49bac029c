//go:build ignore

package main

var tool = 1
