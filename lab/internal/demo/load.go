package demo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sync/errgroup"
)

// A Load is the part that sends the requests and checks the responses.
type Load struct {
	targets     []target
	concurrency int

	mu    sync.Mutex             // guards conns
	conns map[string][]*loadConn // by gateway address, kept between rounds
}

// A target is one file to request.
type target struct {
	name    string
	request []byte
	want    []byte // the rewritten file
}

// LoadArgs has the settings of a Load.
type LoadArgs struct {
	Corpus      string
	Concurrency int
}

// Start reads the corpus and prepares every expected response.
func (l *Load) Start(a LoadArgs, _ *struct{}) error {
	files, err := readCorpus(a.Corpus)
	if err != nil {
		return err
	}
	for _, f := range files {
		l.targets = append(l.targets, target{
			name:    f.name,
			request: fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: gateway\r\n\r\n", f.uri()),
			// Not with AppendRewritten, which this checks.
			want: append([]byte(banner), bytes.ReplaceAll(f.content, []byte(origin), []byte(mirrorHost))...),
		})
	}
	// Neighbours in a directory are similar; a round should have some of each kind.
	rand.New(rand.NewPCG(2, 2)).Shuffle(len(l.targets), func(i, j int) {
		l.targets[i], l.targets[j] = l.targets[j], l.targets[i]
	})
	l.concurrency = a.Concurrency
	l.conns = map[string][]*loadConn{}
	return nil
}

// RoundArgs selects the requests of a round.
type RoundArgs struct {
	Addr       string // of the gateway
	FixedReply string // expected response, if not the rewritten file
	First      int    // target, wrapping around
	Count      int
	Limit      time.Duration // send no more requests after this time
}

// RoundReply has the results of a round.
type RoundReply struct {
	Requests  int
	Elapsed   time.Duration
	Latencies []byte // an encoded histogram, in microseconds
}

// Round sends the requests on all connections at once. Each connection sends its next request
// after the response to the last. Round fails on the first wrong response.
func (l *Load) Round(a RoundArgs, reply *RoundReply) error {
	conns, err := l.connect(a.Addr)
	if err != nil {
		return err
	}
	fixed := []byte(a.FixedReply)
	var next atomic.Int64
	group, failed := errgroup.WithContext(context.Background())
	start := time.Now()
	for _, c := range conns {
		c.SetDeadline(start.Add(a.Limit + stallLimit))
		c.latencies.Reset()
		group.Go(func() error {
			for {
				i, sent := int(next.Add(1))-1, time.Now()
				if i >= a.Count || sent.Sub(start) > a.Limit || failed.Err() != nil {
					return nil
				}
				t := &l.targets[(a.First+i)%len(l.targets)]
				want := t.want
				if len(fixed) > 0 {
					want = fixed
				}
				if err := c.fetch(t.request, want); err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
				if err := c.latencies.RecordValue(time.Since(sent).Microseconds()); err != nil {
					return err
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	reply.Elapsed = time.Since(start)
	all := newLatencies()
	for _, c := range conns {
		all.Merge(c.latencies)
	}
	reply.Requests = int(all.TotalCount())
	reply.Latencies, err = all.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return err
}

// Forget closes the connections to a gateway that has ended: another gateway may get the same
// address.
func (l *Load) Forget(addr string, _ *struct{}) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns[addr] {
		c.Close()
	}
	delete(l.conns, addr)
	return nil
}

func (l *Load) connect(addr string) ([]*loadConn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.conns[addr]) < l.concurrency {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return nil, err
		}
		l.conns[addr] = append(l.conns[addr], &loadConn{
			Conn:      c,
			r:         bufio.NewReaderSize(c, 64<<10),
			latencies: newLatencies(),
		})
	}
	return l.conns[addr], nil
}

func newLatencies() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, (3 * stallLimit).Microseconds(), 3)
}

// A loadConn is one keep-alive connection to a gateway.
type loadConn struct {
	net.Conn
	r          *bufio.Reader
	latencies  *hdrhistogram.Histogram
	retryAfter time.Duration // from the last response, or zero
	pause      func()        // if not nil, called after each piece of a body
}

// fetch sends a request and compares the response with want. It compares in the reader's
// buffer, without a copy of the body, because the load generator should leave the processor to
// the gateway.
func (c *loadConn) fetch(request, want []byte) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	status, length, err := c.readHead()
	if err != nil {
		return fmt.Errorf("no response: %w", err)
	}
	if status != "" {
		message, _ := io.ReadAll(io.LimitReader(c.r, int64(length)))
		return fmt.Errorf("%s: %s", status, bytes.TrimSpace(message))
	}
	return c.check(length, want)
}

// check reads a body of the given length and compares it with want.
func (c *loadConn) check(length int, want []byte) error {
	for offset := 0; offset < length; {
		got, err := c.r.Peek(min(length-offset, c.r.Size()))
		if err != nil {
			return fmt.Errorf("no more of the response after offset %d: %w", offset, err)
		}
		if err := compare(got, want[min(offset, len(want)):], offset); err != nil {
			return err
		}
		offset += len(got)
		c.r.Discard(len(got))
		if c.pause != nil {
			c.pause()
		}
	}
	if length < len(want) {
		return fmt.Errorf("response ends at offset %d of %d", length, len(want))
	}
	return nil
}

// compare returns an error with the first byte of got that differs from want. got begins at
// offset in the response.
func compare(got, want []byte, offset int) error {
	if bytes.HasPrefix(want, got) {
		return nil
	}
	for i := range got {
		switch {
		case i == len(want):
			return fmt.Errorf("response goes on at offset %d, where it should end", offset+i)
		case got[i] != want[i]:
			return fmt.Errorf("wrong byte at offset %d of the response: got %#02x, want %#02x", offset+i, got[i], want[i])
		}
	}
	return nil
}

// readHead reads the head of a response. status is empty for 200 OK.
func (c *loadConn) readHead() (status string, length int, err error) {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return "", 0, err
	}
	if line = bytes.TrimSpace(line); !bytes.HasSuffix(line, []byte(" 200 OK")) {
		status = string(line)
	}
	length = -1
	c.retryAfter = 0
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return "", 0, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return "", 0, err
			}
		}
		if value, ok := bytes.CutPrefix(line, []byte("Retry-After: ")); ok {
			seconds, err := strconv.Atoi(string(value))
			if err != nil {
				return "", 0, err
			}
			c.retryAfter = time.Duration(seconds) * time.Second
		}
	}
	if length < 0 {
		return "", 0, errors.New("response has no Content-Length")
	}
	return status, length, nil
}
