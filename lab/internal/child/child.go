// Package child runs parts of a program as processes of their own, each with a heap,
// pools and garbage collections that no other part meddles with. The program is
// its own child: it starts itself with other arguments.
package child

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

// stopLimit is how long a child may take to exit before it is killed.
const stopLimit = 5 * time.Second

// ErrStalled is what CallWithin returns for a call that took too long.
var ErrStalled = errors.New("stalled")

// A Process is a child. Its standard input and output carry RPC, and end of input
// is its sign to exit, so that it never outlives this process.
type Process struct {
	name   string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ended  sync.Once
	status error // of Wait, once it has ended
	*rpc.Client
}

// Start starts this program with the given arguments, which must have it call
// [Serve]. The name is for messages.
func Start(ctx context.Context, name string, args ...string) (*Process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &Process{name: name, cmd: exec.CommandContext(ctx, exe, args...)}
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
	p.cmd.WaitDelay = stopLimit
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.Client = rpc.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{out, in})
	return p, nil
}

// Call calls a method of the child.
func (p *Process) Call(method string, args, reply any) error {
	return p.explain(p.Client.Call(method, args, reply))
}

// CallWithin is Call, but gives up after the given time: the child is of no more
// use then.
func (p *Process) CallWithin(limit time.Duration, method string, args, reply any) error {
	call := p.Go(method, args, reply, make(chan *rpc.Call, 1))
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-call.Done:
		return p.explain(call.Error)
	case <-timer.C:
		return ErrStalled
	}
}

// explain makes of the error of a call one that says how the child has ended, if
// it has.
func (p *Process) explain(err error) error {
	if fault := rpc.ServerError(""); err != nil && !errors.As(err, &fault) {
		words := p.LastWords()
		return fmt.Errorf("the %s process ended (%v)%s", p.name, p.cmd.ProcessState, words)
	}
	return err
}

// Stop ends the process and waits until it has. Any number of goroutines may.
func (p *Process) Stop() {
	p.Close()
	kill := time.AfterFunc(stopLimit, func() { p.Kill() })
	defer kill.Stop()
	p.Wait()
}

// Abort ends the process at once, and has it say, for [Process.LastWords], what each of its
// goroutines was at; but for Windows, where it cannot be asked to.
func (p *Process) Abort() {
	if p.cmd.Process.Signal(syscall.SIGQUIT) != nil {
		p.Kill()
	}
}

// PID returns the ID of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends the process at once.
func (p *Process) Kill() error { return p.cmd.Process.Kill() }

// Wait waits until the process has ended. Any number of goroutines may.
func (p *Process) Wait() error {
	p.ended.Do(func() { p.status = p.cmd.Wait() })
	return p.status
}

// LastWords stops the process and returns what it left on standard error, for
// the end of a message.
func (p *Process) LastWords() string {
	p.Stop()
	words := bytes.TrimSpace(p.stderr.Bytes())
	if len(words) == 0 {
		return ""
	}
	return ":\n" + string(words)
}

// Serve is the main function of a child: it answers calls of the receiver's
// methods until its input ends.
func Serve(receiver any) error {
	// Ctrl-C reaches every process of the terminal. The parent closes standard
	// input when it is time to go.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)

	server := rpc.NewServer()
	if err := server.Register(receiver); err != nil {
		return err
	}
	server.ServeConn(stdio{openInput(), os.Stdout})
	return nil
}

// stdio is the connection to the parent.
type stdio struct {
	in *os.File
	io.WriteCloser
}

// Read exits at the end of input. The RPC server would first wait for the
// calls under way.
func (s stdio) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if err != nil {
		os.Exit(0)
	}
	return n, nil
}
