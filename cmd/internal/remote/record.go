package remote

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/printable"
	"github.com/basin-go/basin/internal/trace"
)

// Record asks the program to record the calls of its byte pools. It returns the trace and writes it
// to w, compressed. It takes at most 10 seconds more than the duration. If it returns an error, w has
// a part of a trace, or nothing.
func (s *Source) Record(ctx context.Context, duration time.Duration, every int, w io.Writer) (*trace.Trace, error) {
	timed, cancel := context.WithTimeout(ctx, duration+2*s.timeout)
	defer cancel()
	t, err := s.record(timed, duration, every, w)
	if err == nil {
		return t, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if timed.Err() != nil {
		err = fmt.Errorf("the trace has not ended %v after the end of the recording", 2*s.timeout)
	}
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err // removes the address, which Error has already
	}
	return nil, &Error{s, printable.Text(err.Error())}
}

func (s *Source) record(ctx context.Context, duration time.Duration, every int, w io.Writer) (*trace.Trace, error) {
	u := *s.url
	query := u.Query()
	query.Del("format")
	query.Set("record", duration.String())
	query.Set("every", strconv.Itoa(every))
	u.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case response.StatusCode == http.StatusNotFound:
		return nil, errors.New("404 Not Found: a server answers, but basin's page is not there; it is usually at " + basinhttp.Path)
	case response.StatusCode != http.StatusOK:
		said, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return nil, fmt.Errorf("the server answers %d %s: %s", response.StatusCode, http.StatusText(response.StatusCode), strings.TrimSpace(string(said)))
	case kind != trace.MediaType:
		return nil, fmt.Errorf("this is not basin's page: it answers with %q, not with a trace", kind)
	case response.Header.Get("Content-Encoding") != "":
		return nil, errors.New("this is not basin's page: it compresses its answer, which nobody asked for")
	}
	z := gzip.NewWriter(w)
	t, err := trace.Read(io.TeeReader(response.Body, z))
	if err != nil {
		return nil, err
	}
	return t, z.Close()
}
