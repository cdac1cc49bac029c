// Package remote reads the pools of a running program. Only the program's address is known: the
// program may be another one, broken or hostile. A reading has a time limit and a memory limit
// for any answer, and so has its result.
package remote

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/basin-go/basin/basinhttp"
	"github.com/basin-go/basin/cmd/internal/printable"
)

// A Source is the address of a program's report of its pools.
type Source struct {
	url     *url.URL
	timeout time.Duration // of one reading
}

// NewSource returns the source with the given address, such as
// http://localhost:6060/debug/basin/. The path is optional.
func NewSource(address string) (*Source, error) {
	scheme, _, found := strings.Cut(address, "://")
	if !found {
		example := address
		if !strings.Contains(address, "/") {
			example += basinhttp.Path
		}
		return nil, fmt.Errorf("address %s does not begin with http:// or https://: did you mean http://%s?", printable.Text(address), printable.Text(example))
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return nil, fmt.Errorf("address %s begins with %s://, want http:// or https://", printable.Text(address), printable.Text(scheme))
	}
	u, err := url.Parse(address)
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) {
			err = e.Err // the full error may contain a password
		}
		return nil, fmt.Errorf("address is no URL: %s", printable.Text(err.Error()))
	}
	if u.Hostname() == "" {
		return nil, errors.New("address has no host, want one such as http://localhost:6060" + basinhttp.Path)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = basinhttp.Path
	}
	u.Fragment = ""
	query := u.Query()
	query.Set("format", "json")
	u.RawQuery = query.Encode()
	return &Source{u, Timeout}, nil
}

// String returns the address without password and query.
func (s *Source) String() string {
	u := *s.url
	u.RawQuery = ""
	return printable.Text(u.Redacted())
}
