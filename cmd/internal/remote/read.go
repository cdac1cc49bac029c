package remote

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/printable"
)

// Timeout is the time limit of one reading. Tests raise it, because slow machines take longer for the
// largest report.
var Timeout = 5 * time.Second

// client is for servers that may be hostile.
var client = &http.Client{
	Transport: func() http.RoundTripper {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // a compressed KiB can become a GiB
		t.DisableKeepAlives = true  // net/http logs data that arrives later on a connection
		t.MaxResponseHeaderBytes = 64 << 10
		return t
	}(),
	CheckRedirect: func(next *http.Request, before []*http.Request) error {
		first := before[0].URL
		switch {
		case next.URL.Hostname() != first.Hostname() || first.Scheme == "https" && next.URL.Scheme != "https":
			return errors.New("the server redirects to another host, which is not followed")
		case len(before) >= 10:
			return errors.New("stopped after 10 redirects")
		}
		return nil
	},
}

// Read reads the pools of the program. It takes at most 5 seconds, and returns when ctx is
// done. A report has at most 16,384 pools and 64 MiB; names are cut. Its Checking has at most
// 256 Sites and Found, with the innermost 8 calls of each stack.
func (s *Source) Read(ctx context.Context) (*basinhttp.Report, *Error) {
	timed, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r, err := s.get(timed)
	if err == nil {
		return r, nil
	}
	if ctx.Err() == nil && timed.Err() != nil {
		err = fmt.Errorf("no answer within %v", s.timeout)
	}
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err // removes the address, which Error has already
	}
	return nil, &Error{s, printable.Text(err.Error())}
}

// An Error tells the user why a reading failed. It is safe to print.
type Error struct {
	Source *Source
	Reason string
}

func (e *Error) Error() string { return e.Source.String() + ": " + e.Reason }

func (s *Source) get(ctx context.Context) (*basinhttp.Report, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case response.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("404 Not Found: a server answers, but basin's page is not there; it is usually at %s", basinhttp.Path)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	case kind != "application/json":
		return nil, fmt.Errorf("this is not basin's page: it answers with %q, not with JSON", kind)
	case response.Header.Get("Content-Encoding") != "":
		return nil, errors.New("this is not basin's page: it compresses its answer, which nobody asked for")
	}
	r, err := decode(response.Body)
	if err != nil {
		return nil, fmt.Errorf("this is not basin's page: %w", err)
	}
	return r, nil
}
