package demo

import (
	"context"
	"fmt"

	"github.com/basin-go/basin/lab/internal/child"
)

// PartCommand is the command for which a program that calls Run must call RunPart, with the
// command's argument.
const PartCommand = "demo-part"

func startPart(ctx context.Context, role string) (*child.Process, error) {
	return child.Start(ctx, role, PartCommand, role)
}

// RunPart is the main function of a child process.
func RunPart(role string) error {
	receivers := map[string]any{"upstream": new(Upstream), "load": new(Load), "gateway": new(Gateway), "bounded": new(Bounded)}
	receiver, ok := receivers[role]
	if !ok {
		return fmt.Errorf("%s: no part %q", PartCommand, role)
	}
	return child.Serve(receiver)
}
