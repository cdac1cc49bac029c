package top

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/basin-go/basin/basinhttp"
)

const (
	timeout   = 5 * time.Second // of one reading
	maxReport = 64 << 20        // bytes of one report
	usualPath = "/debug/basin/"
)

// A Source is where a program answers with its pools.
type Source struct{ url *url.URL }

// NewSource returns the source with the given address, such as
// http://localhost:6060/debug/basin/. The path may be left out.
func NewSource(address string) (*Source, error) {
	scheme, _, found := strings.Cut(address, "://")
	if !found {
		example := address
		if !strings.Contains(address, "/") {
			example += usualPath
		}
		return nil, fmt.Errorf("address %s does not begin with http:// or https://: did you mean http://%s?", clean(address), clean(example))
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return nil, fmt.Errorf("address %s begins with %s://, want http:// or https://", clean(address), clean(scheme))
	}
	u, err := url.Parse(address)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // the rest may have a password
		}
		return nil, fmt.Errorf("address is no URL: %s", clean(err.Error()))
	}
	if u.Hostname() == "" {
		return nil, errors.New("address has no host, want one such as http://localhost:6060" + usualPath)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = usualPath
	}
	u.Fragment = ""
	query := u.Query()
	query.Set("format", "json")
	u.RawQuery = query.Encode()
	return &Source{u}, nil
}

// String returns the address, without a password and what is asked for.
func (s *Source) String() string {
	u := *s.url
	u.RawQuery = ""
	return clean(u.Redacted())
}

// read asks the program for its pools.
func (s *Source) read(ctx context.Context) (*basinhttp.Report, *readError) {
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := s.get(timed)
	if err == nil {
		return r, nil
	}
	if ctx.Err() == nil && timed.Err() != nil {
		err = fmt.Errorf("no answer within %v", timeout)
	}
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err // it says the address again
	}
	return nil, &readError{s, clean(err.Error())}
}

// A readError says in words for the user why there are no news. It is safe to print.
type readError struct {
	source *Source
	reason string
}

func (e *readError) Error() string { return e.source.String() + ": " + e.reason }

func (s *Source) get(ctx context.Context) (*basinhttp.Report, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); {
	case response.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("404 Not Found: a server answers, but basin's page is not there; it is usually at %s", usualPath)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	case kind != "application/json":
		return nil, fmt.Errorf("this is not basin's page: it answers with %q, not with JSON", kind)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxReport+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxReport {
		return nil, fmt.Errorf("this is not basin's page: it answers with more than %d MiB", maxReport>>20)
	}
	var r basinhttp.Report
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("this is not basin's page: %w", err)
	}
	if r.Time.IsZero() || r.Started.IsZero() {
		return nil, errors.New("this is not basin's page: its JSON says nothing about pools")
	}
	return &r, nil
}
