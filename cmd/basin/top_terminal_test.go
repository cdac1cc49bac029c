//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// Escape sequences sent to the terminal.
const (
	otherScreen = "\x1b[?1049h"
	firstScreen = "\x1b[?1049l"
	hideCursor  = "\x1b[?25l"
	showCursor  = "\x1b[?25h"
)

// end is written to the terminal after the command has ended.
const end = "the shell goes on"

// poolServer answers with a report of n pools, or fails if gone is set.
func poolServer(t *testing.T, n int, gone *atomic.Bool) string {
	t.Helper()
	// Only the fields that top reads: even a slow machine must read the report within top's
	// time limit.
	var pools strings.Builder
	for i := range n {
		if i > 0 {
			pools.WriteByte(',')
		}
		fmt.Fprintf(&pools, `{"ID":%d,"Kind":"BytePool","Name":"evil\u001b]0;title\u0007\u001b[2J"}`, i+1)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"time":%q,"started":"1970-01-01T00:00:01Z","program":"server","pools":[%s]}`, time.Now().Format(time.RFC3339Nano), pools.String())
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A terminal is a pseudo terminal that runs the command.
type terminal struct {
	t       *testing.T
	master  *os.File
	process *os.Process
	seen    string
}

// until reads from the terminal until s arrives, or until the end.
func (p *terminal) until(s string) {
	p.t.Helper()
	b := make([]byte, 4096)
	for !strings.Contains(p.seen, s) {
		if strings.Contains(p.seen, end) {
			p.t.Fatalf("it ended without %q:\n%q", s, p.seen)
		}
		n, err := p.master.Read(b)
		p.seen += string(b[:n])
		if err != nil {
			p.t.Fatalf("no %q: %v\n%q", s, err, p.seen)
		}
	}
}

// TestTerminal ends top in all possible ways. The terminal must be restored.
func TestTerminal(t *testing.T) {
	signal := func(s syscall.Signal) func(*terminal) {
		return func(p *terminal) { p.process.Signal(s) }
	}
	key := func(k string) func(*terminal) {
		return func(p *terminal) { io.WriteString(p.master, k) }
	}
	for _, tt := range []struct {
		name   string
		pools  int
		gone   bool // the server fails in the end
		end    func(*terminal)
		status int
	}{
		{"q", 1, false, key("q"), 0},
		{"Ctrl-C", 1, false, key("\x03"), exitInterrupted},
		{"SIGINT", 1, false, signal(syscall.SIGINT), exitInterrupted},
		{"SIGTERM", 1, false, signal(syscall.SIGTERM), exitInterrupted},
		{"Ctrl-C in the classes, paused", 1, false, key("\rp\x03"), exitInterrupted},
		{"Ctrl-C among as many pools as are read", 16384, false, key("\x03"), exitInterrupted},
		{"Ctrl-C with the server gone", 1, true, key("\x03"), exitInterrupted},
		{"SIGINT with the server gone", 1, true, signal(syscall.SIGINT), exitInterrupted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var gone atomic.Bool
			c, _, _ := command(t, "top", "-interval", "100ms", poolServer(t, tt.pools, &gone))
			c.Env = append(c.Env, "TERM=xterm-256color", "NO_PROXY=*")
			master, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer master.Close()
			defer tty.Close()
			if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 200}); err != nil {
				t.Fatal(err)
			}
			before, err := term.GetState(int(tty.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			c.Stdin, c.Stdout, c.Stderr = tty, tty, tty
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			go func() {
				c.Wait()
				io.WriteString(tty, end)
			}()
			p := &terminal{t: t, master: master, process: c.Process}
			p.until(`evil\x1b]0;title\a\x1b[2J`)
			if tt.gone {
				gone.Store(true)
				p.until("trying again")
			}
			tt.end(p)
			p.until(end)

			if got := c.ProcessState.ExitCode(); got != tt.status {
				t.Errorf("exit status %d, want %d", got, tt.status)
			}
			if strings.LastIndex(p.seen, firstScreen) < strings.LastIndex(p.seen, otherScreen) || !strings.Contains(p.seen, otherScreen) {
				t.Errorf("it is left on the other screen: %q", p.seen)
			}
			if strings.LastIndex(p.seen, showCursor) < strings.LastIndex(p.seen, hideCursor) {
				t.Errorf("the cursor is left hidden: %q", p.seen)
			}
			_, rest, _ := strings.Cut(p.seen, firstScreen)
			if text := strings.TrimSpace(ansi.Strip(rest)); text != end {
				t.Errorf("it leaves %q on the first screen, in %q", text, rest)
			}
			after, err := term.GetState(int(tty.Fd()))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(after, before) {
				t.Errorf("the terminal is left as %+v, was %+v", after, before)
			}
			if strings.Contains(p.seen, "\x1b]0;title") {
				t.Error("a pool's name sets the title")
			}
		})
	}
}
