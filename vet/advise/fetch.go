package advise

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// client asks servers that may be hostile.
var client = &http.Client{
	Transport: func() http.RoundTripper {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxResponseHeaderBytes = 64 << 10
		t.DisableCompression = true // the limits count bytes as sent
		return t
	}(),
	CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if next.URL.Host != before[0].URL.Host || len(before) >= 10 {
			return errors.New("the server sends us elsewhere; name that address")
		}
		return nil
	},
}

// answerTime is how long a server may take for an answer, beside the wait that it was
// asked for.
const answerTime = 30 * time.Second

// A server is a program that answers at /debug/pprof/.
type server struct{ base string }

func newServer(address string) (*server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s is no address such as http://localhost:6060/debug/pprof/", printable(address))
	}
	u.RawQuery, u.Fragment = "", ""
	if before, _, ok := strings.Cut(u.Path, "/debug/pprof"); ok {
		u.Path = before
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/debug/pprof/"
	return &server{u.String()}, nil
}

// read calls use with the answer, whose Read fails when the context ends.
func (s *server) read(ctx context.Context, path string, wait time.Duration, use func(io.Reader) error) error {
	timed, cancel := context.WithTimeout(ctx, wait+answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(timed, http.MethodGet, s.base+path, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err == nil {
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s%s answers %d; the program has to import net/http/pprof, and to serve http.DefaultServeMux at this address", printable(s.base), path, response.StatusCode)
		}
		if err = use(response.Body); err == nil {
			return nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case timed.Err() != nil:
		return fmt.Errorf("%s%s does not end its answer within %v; try again, or take the profile with curl", printable(s.base), path, wait+answerTime)
	}
	var e *url.Error
	if errors.As(err, &e) {
		err = fmt.Errorf("%s does not answer (%s); check the address", printable(s.base), printable(e.Err.Error()))
	}
	return err
}

// profile reads a profile that the server takes in some time.
func (s *server) profile(ctx context.Context, path string, wait time.Duration, use func(*profile) error) error {
	return s.read(ctx, path, wait, func(r io.Reader) error {
		data, err := readBounded(r)
		if err != nil {
			return fmt.Errorf("%s%s: %w", printable(s.base), path, err)
		}
		p, err := readProfile(ctx, printable(s.base)+path, bytes.NewReader(data))
		if err != nil {
			return err
		}
		return use(p)
	})
}

// heap reads a heap profile.
func (s *server) heap(ctx context.Context) (h *heap, err error) {
	err = s.profile(ctx, "allocs", 0, func(p *profile) (err error) {
		h, err = readHeap(ctx, p)
		return err
	})
	return h, err
}

// collections reads the number of collections, with which the text of a heap profile ends, or returns -1.
func (s *server) collections(ctx context.Context) int64 {
	n := int64(-1)
	s.read(ctx, "heap?debug=1", 0, func(r io.Reader) error {
		lines := bufio.NewScanner(io.LimitReader(r, maxCompressed))
		lines.Buffer(nil, maxMessage)
		for lines.Scan() {
			if text, ok := bytes.CutPrefix(lines.Bytes(), []byte("# NumGC = ")); ok {
				if v, err := strconv.ParseInt(string(text), 10, 64); err == nil {
					n = v
				}
			}
		}
		return lines.Err()
	})
	return n
}
