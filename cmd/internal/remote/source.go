// Package remote reads the pools of a running program. Whatever answers at the address may be another
// program, broken or hostile. So the time and the memory of a reading, and the size of its result, are
// limited for any answer.
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
// http://localhost:6060/debug/basin/. Without a path it adds [basinhttp.Path].
func NewSource(address string) (*Source, error) {
	if address == "" {
		return nil, errors.New("address is empty, want one such as http://localhost:6060" + basinhttp.Path)
	}
	scheme, _, found := strings.Cut(address, "://")
	if !found {
		example := address
		if strings.HasPrefix(address, ":") {
			example = "localhost" + address
		}
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
