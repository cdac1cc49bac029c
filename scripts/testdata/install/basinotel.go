package main

import (
	"fmt"

	"github.com/basin-go/basin/basinotel"
	"go.opentelemetry.io/otel/metric/noop"
)

func main() {
	registration, err := basinotel.Register(noop.NewMeterProvider(), basinotel.Opts{})
	if err != nil {
		panic(err)
	}
	if err := registration.Unregister(); err != nil {
		panic(err)
	}
	fmt.Println("basinotel works")
}
