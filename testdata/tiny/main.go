//go:build go1.25

// Command tiny uses the least of basin: see TestLinked.
package main

import "github.com/basin-go/basin"

func main() { basin.Put(basin.Get(1000)) }
