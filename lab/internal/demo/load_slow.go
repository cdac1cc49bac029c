package demo

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sync/errgroup"
)

const (
	// heavyTargets is the number of files that slow clients request, the largest ones. They do
	// not fit into the sockets' buffers, so the gateway must keep them until the client has
	// read them.
	heavyTargets = 128
	// A slow client reads slowChunk and pauses for slowPause.
	slowChunk = 16 << 10
	slowPause = 20 * time.Millisecond
)

// OverloadArgs has the settings of an overload.
type OverloadArgs struct {
	Addr    string // of the gateway
	Clients int    // each with its own connection and one request at a time
	Limit   time.Duration
	MayEnd  bool // the gateway may be killed; clients that lose their connection end
}

// OverloadReply has the results of an overload.
type OverloadReply struct {
	Served  int
	Refused int
	Lost    int    // connections, if MayEnd
	Latency []byte // time to the first byte of served requests: an encoded histogram, in microseconds
}

// Overload sends requests from slow clients until the limit. Then it reads the remaining
// responses quickly, so that the load ends. Like Round it fails on the first wrong response. A
// refusal with a time to retry is not wrong.
func (l *Load) Overload(a OverloadArgs, reply *OverloadReply) error {
	targets := slices.SortedFunc(slices.Values(l.targets), func(a, b target) int {
		return cmp.Compare(len(b.want), len(a.want))
	})
	targets = targets[:min(len(targets), heavyTargets)]

	group, failed := errgroup.WithContext(context.Background())
	load, cancel := context.WithTimeout(failed, a.Limit)
	defer cancel()
	var next, refused, lost atomic.Int64
	var conns []*loadConn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range a.Clients {
		c, err := dialSlow(a.Addr)
		if a.MayEnd && isLost(err) {
			lost.Add(1)
			continue
		}
		if err != nil {
			cancel()
			group.Wait()
			return err
		}
		conns = append(conns, c)
		c.SetDeadline(time.Now().Add(a.Limit + stallLimit))
		c.pause = func() { sleep(load, slowPause) }
		group.Go(func() error {
			for load.Err() == nil {
				t := &targets[(int(next.Add(1))-1)%len(targets)]
				served, err := c.try(t)
				if a.MayEnd && isLost(err) {
					lost.Add(1)
					return nil
				}
				if err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
				if !served {
					refused.Add(1)
					sleep(load, c.retryAfter)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	all := newLatencies()
	for _, c := range conns {
		all.Merge(c.latencies)
	}
	reply.Served, reply.Refused, reply.Lost = int(all.TotalCount()), int(refused.Load()), int(lost.Load())
	var err error
	reply.Latency, err = all.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return err
}

// isLost reports whether err means a lost connection, as opposed to a wrong response.
func isLost(err error) bool {
	var failed *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &failed)
}

// dialSlow connects with a small receive buffer.
func dialSlow(addr string) (*loadConn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if err := c.(*net.TCPConn).SetReadBuffer(slowChunk); err != nil {
		c.Close()
		return nil, err
	}
	return &loadConn{Conn: c, r: bufio.NewReaderSize(c, slowChunk), latencies: newLatencies()}, nil
}

// unavailable is the end of the status line of a refusal.
var unavailable = strconv.Itoa(http.StatusServiceUnavailable) + " " + http.StatusText(http.StatusServiceUnavailable)

// try sends one request like fetch, but accepts a refusal.
func (c *loadConn) try(t *target) (served bool, err error) {
	sent := time.Now()
	if _, err := c.Write(t.request); err != nil {
		return false, err
	}
	status, length, err := c.readHead()
	if err != nil {
		return false, fmt.Errorf("no response: %w", err)
	}
	took := time.Since(sent)
	if status == "" {
		if err := c.check(length, t.want); err != nil {
			return false, err
		}
		return true, c.latencies.RecordValue(took.Microseconds())
	}
	message, err := io.ReadAll(io.LimitReader(c.r, int64(length)))
	switch {
	case err != nil:
		return false, err
	case !strings.HasSuffix(status, unavailable):
		return false, fmt.Errorf("%s: %s", status, bytes.TrimSpace(message))
	case c.retryAfter <= 0:
		return false, errors.New(status + " without Retry-After")
	}
	return false, nil
}

// sleep returns after d, or when ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
