// Command basin-vet finds misuse of pools in Go programs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/basin-go/basin/vet"
)

func main() {
	ctx := context.Background()
	if !vet.Tool(os.Args[1:]) { // the go command ends its tools itself
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop) // a second signal ends a program that the first could not
	}
	os.Exit(vet.Main(ctx, os.Args[1:]))
}
