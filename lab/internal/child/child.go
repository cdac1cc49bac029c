// Package child runs parts of a program as separate processes, each with its own heap, pools
// and garbage collections. The program is its own child: it starts itself with other arguments.
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

// stopLimit is the time that a child has to exit before it is killed.
const stopLimit = 5 * time.Second

// ErrStalled is the error of CallWithin for a call that took too long.
var ErrStalled = errors.New("stalled")

// A Process is a child. Its standard input and output carry RPC. The end of its input tells it
// to exit, so that it never outlives this process.
type Process struct {
	name   string
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ended  sync.Once
	status error // result of Wait
	*rpc.Client
}

// Start starts this program with the given arguments, which must make it call [Serve]. The name
// is for messages.
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

// CallWithin is Call with a time limit. After ErrStalled the child can no longer be used.
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

// explain adds the child's last words to the error of a call, if the child has ended.
func (p *Process) explain(err error) error {
	if fault := rpc.ServerError(""); err != nil && !errors.As(err, &fault) {
		words := p.LastWords()
		return fmt.Errorf("the %s process ended (%v)%s", p.name, p.cmd.ProcessState, words)
	}
	return err
}

// Stop ends the process and waits for its end. It is safe for concurrent use.
func (p *Process) Stop() {
	p.Close()
	kill := time.AfterFunc(stopLimit, func() { p.Kill() })
	defer kill.Stop()
	p.Wait()
}

// Abort ends the process at once, with the stacks of its goroutines as [Process.LastWords]. On
// Windows it only kills the process.
func (p *Process) Abort() {
	if p.cmd.Process.Signal(syscall.SIGQUIT) != nil {
		p.Kill()
	}
}

// PID returns the ID of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends the process at once.
func (p *Process) Kill() error { return p.cmd.Process.Kill() }

// Wait waits for the end of the process. It is safe for concurrent use.
func (p *Process) Wait() error {
	p.ended.Do(func() { p.status = p.cmd.Wait() })
	return p.status
}

// LastWords stops the process and returns its standard error, for the end of a message.
func (p *Process) LastWords() string {
	p.Stop()
	words := bytes.TrimSpace(p.stderr.Bytes())
	if len(words) == 0 {
		return ""
	}
	return ":\n" + string(words)
}

// Serve is the main function of a child. It answers calls of the receiver's methods until its
// input ends.
func Serve(receiver any) error {
	// Ctrl-C reaches every process of the terminal. The parent closes standard input to end
	// this process.
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

// Read exits the process at the end of input. The RPC server would first wait for current
// calls.
func (s stdio) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if err != nil {
		os.Exit(0)
	}
	return n, nil
}
