package main

import (
	"fmt"

	"github.com/basin-go/basin/basinprom"
	"github.com/prometheus/client_golang/prometheus"
)

func main() {
	prometheus.MustRegister(basinprom.NewCollector(basinprom.Opts{}))
	fmt.Println("basinprom works")
}
