// Command basin-vet finds misuse of pools in Go programs.
package main

import (
	"os"

	"github.com/basin-go/basin/vet"
)

func main() { os.Exit(vet.Main(os.Args[1:])) }
