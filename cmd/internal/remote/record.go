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

	"github.com/basin-go/basin/cmd/internal/printable"
	"github.com/basin-go/basin/internal/trace"
)

// Record makes the program record the use of its byte pools, and writes the compressed trace to
// w. It returns the trace, too. It takes at most 10 seconds more than the duration. Only a
// trace within the limits of package trace is written to w.
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
		err = fmt.Errorf("the trace has not ended %v after it should have", 2*s.timeout)
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
		return nil, errors.New("404 Not Found: a server answers, but basin's page is not there")
	case response.StatusCode != http.StatusOK:
		said, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return nil, fmt.Errorf("the server answers %d %s: %s", response.StatusCode, http.StatusText(response.StatusCode), strings.TrimSpace(string(said)))
	case kind != trace.MediaType || response.Header.Get("Content-Encoding") != "":
		return nil, fmt.Errorf("the answer is no trace, but %q", kind)
	}
	z := gzip.NewWriter(w)
	t, err := trace.Read(io.TeeReader(response.Body, z))
	if err != nil {
		return nil, err
	}
	return t, z.Close()
}
