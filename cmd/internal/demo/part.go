package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// PartCommand is the command under which a program that calls Run must call
// RunPart with the command's one argument.
const PartCommand = "demo-part"

// A part is a child process. Its standard input and output carry RPC, and end
// of input is its sign to exit, so that it never outlives this process.
type part struct {
	role   string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ended  sync.Once
	*rpc.Client
}

func startPart(ctx context.Context, role string) (*part, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &part{role: role, cmd: exec.CommandContext(ctx, exe, PartCommand, role)}
	p.cmd.Stderr = &p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Cancel = in.Close
	p.cmd.WaitDelay = 5 * time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.Client = rpc.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{out, in})
	return p, nil
}

// call calls a method of the part.
func (p *part) call(method string, args, reply any) error {
	err := p.Call(method, args, reply)
	if fault := rpc.ServerError(""); err != nil && !errors.As(err, &fault) {
		words := p.lastWords()
		return fmt.Errorf("the %s process ended (%v)%s", p.role, p.cmd.ProcessState, words)
	}
	return err
}

// stop ends the process and waits until it has, for as many as ask for it.
func (p *part) stop() {
	p.ended.Do(func() {
		p.Close()
		p.cmd.Wait()
	})
}

// lastWords stops the process and returns what it left on standard error, for
// the end of a message.
func (p *part) lastWords() string {
	p.stop()
	words := bytes.TrimSpace(p.stderr.Bytes())
	if len(words) == 0 {
		return ""
	}
	return ":\n" + string(words)
}

// RunPart is the main function of a child process.
func RunPart(role string) error {
	// Ctrl-C reaches every process of the terminal. The parent closes standard
	// input when it is time to go.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)

	receivers := map[string]any{"upstream": new(Upstream), "load": new(Load), "gateway": new(Gateway), "bounded": new(Bounded)}
	receiver, ok := receivers[role]
	if !ok {
		return fmt.Errorf("%s: no part %q", PartCommand, role)
	}
	server := rpc.NewServer()
	if err := server.Register(receiver); err != nil {
		return err
	}
	server.ServeConn(stdio{os.Stdout})
	return nil
}

// stdio is the connection to the parent.
type stdio struct{ io.WriteCloser }

// Read exits at the end of input. The RPC server would first wait for the
// calls under way.
func (stdio) Read(p []byte) (int, error) {
	n, err := os.Stdin.Read(p)
	if err != nil {
		os.Exit(0)
	}
	return n, nil
}
