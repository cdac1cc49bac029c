// Command checklevel prints what BASIN_CHECK has set, and uses a pool.
package main

import (
	"fmt"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
)

func main() {
	basin.Put(basin.Get(100))
	c := basincheck.Now()
	fmt.Println(c.Level, c.Every, c.Guard)
}
