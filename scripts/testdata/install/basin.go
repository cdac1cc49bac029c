package main

import (
	"fmt"

	"github.com/basin-go/basin"
	_ "github.com/basin-go/basin/basincheck"
	_ "github.com/basin-go/basin/basinexport"
	_ "github.com/basin-go/basin/basinexpvar"
	_ "github.com/basin-go/basin/basinhttp"
	_ "github.com/basin-go/basin/basintest"
)

func main() {
	b := basin.Get(1000)
	defer basin.Put(b)
	fmt.Println("basin works")
}
