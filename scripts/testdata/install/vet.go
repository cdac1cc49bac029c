package main

import (
	"fmt"

	"github.com/basin-go/basin/vet"
	"golang.org/x/tools/go/analysis"
)

func main() {
	if err := analysis.Validate(vet.Analyzers()); err != nil {
		panic(err)
	}
	fmt.Println("vet works")
}
