//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// TestTopInterrupted has servers that keep the command busy for as long as they can, and a user
// who interrupts it.
func TestTopInterrupted(t *testing.T) {
	const head = `{"time":"2026-01-01T00:00:00Z","started":"2025-01-01T00:00:00Z","pools":[`
	drip := func(begin string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, begin)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"no answer", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"half an answer", drip(head + `{"ID":1},`)},
		{"blanks", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for {
				if _, err := io.WriteString(w, " "); err != nil {
					return
				}
			}
		}},
		{"a large report", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, head+strings.Repeat(`{"Name":"`+strings.Repeat("x", 500)+`"},`, 16000)+`{}]}`)
		}},
	} {
		for _, args := range []string{"top -n 1", "top -plain -interval 100ms", "top"} {
			t.Run(tt.name+", "+args, func(t *testing.T) {
				asked := make(chan struct{})
				var once sync.Once
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					once.Do(func() { close(asked) })
					tt.handler(w, r)
				}))
				defer s.Close()
				defer s.CloseClientConnections()
				c, _, stderr := command(t, append(strings.Fields(args), s.URL)...)
				c.Env = append(c.Env, "TERM=xterm-256color", "NO_PROXY=*")
				if args == "top" {
					master, tty, err := pty.Open()
					if err != nil {
						t.Fatal(err)
					}
					defer master.Close()
					defer tty.Close()
					go io.Copy(io.Discard, master)
					c.Stdin, c.Stdout = tty, tty
				} else { // a pipe without a reader
					r, w, err := os.Pipe()
					if err != nil {
						t.Fatal(err)
					}
					defer r.Close()
					defer w.Close()
					c.Stdout = w
				}
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				<-asked
				if err := c.Process.Signal(syscall.SIGINT); err != nil {
					t.Fatal(err)
				}
				c.Wait()
				if got := c.ProcessState.ExitCode(); got != exitInterrupted || stderr.Len() > 0 {
					t.Errorf("exit status %d, standard error %q", got, stderr)
				}
			})
		}
	}
}
