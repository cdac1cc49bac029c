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
	// heavyTargets is how many files slow clients ask for, the largest ones:
	// those that do not fit into the sockets' buffers, so that the gateway has to
	// keep them while the client takes its time.
	heavyTargets = 128
	// A slow client reads slowChunk and pauses for slowPause.
	slowChunk = 16 << 10
	slowPause = 20 * time.Millisecond
)

// OverloadArgs says how to overload a gateway.
type OverloadArgs struct {
	Addr    string // of the gateway
	Clients int    // each with a connection of its own and one request at a time
	Limit   time.Duration
	MayEnd  bool // the gateway may be killed; the clients of a connection that is lost go
}

// OverloadReply is how that went.
type OverloadReply struct {
	Served  int
	Refused int
	Lost    int    // connections, if MayEnd
	Latency []byte // of the served, to the first byte: an encoded histogram, in microseconds
}

// Overload makes requests with slow clients until the limit. Then it hurries to
// read what is still to come: the load goes. Like Round it fails on the first
// wrong response; being told to come back later is not wrong.
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

// isLost reports whether err says that a connection has ended, and not that something
// wrong was sent.
func isLost(err error) bool {
	var failed *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &failed)
}

// dialSlow connects with a receive buffer that is soon full.
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

// unavailable is the end of the status line of a response that refuses.
var unavailable = strconv.Itoa(http.StatusServiceUnavailable) + " " + http.StatusText(http.StatusServiceUnavailable)

// try makes one request like fetch, but may be refused.
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
