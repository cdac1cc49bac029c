package remote_test

import (
	"strings"
	"testing"

	"github.com/basin-go/basin/cmd/internal/remote"
)

func TestBadAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"":                         "address is empty",
		":6060":                    "did you mean http://localhost:6060/debug/basin/?",
		"localhost:6060":           "did you mean http://localhost:6060/debug/basin/?",
		"127.0.0.1:6060/x":         "did you mean http://127.0.0.1:6060/x?",
		"ftp://localhost":          "begins with ftp://",
		"http://":                  "has no host",
		"http://:80":               "has no host",
		"http://u:secret@a b/":     "address is no URL",
		"http://u:secret@[::1":     "address is no URL",
		"http://localhost:port/":   "address is no URL",
		"\x1b[31m":                 `\x1b[31m`,
		"evil\x1b[31m://localhost": `evil\x1b[31m://`,
	} {
		_, err := remote.NewSource(address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v, want %s", address, err, want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:6060":                     "http://localhost:6060/debug/basin/",
		"http://localhost:6060/":                    "http://localhost:6060/debug/basin/",
		"HTTPS://localhost/debug/basin":             "https://localhost/debug/basin",
		"http://[::1]:80/a/b?x=1&format=html#part":  "http://[::1]:80/a/b",
		"http://user:secret@localhost/debug/basin/": "http://user:xxxxx@localhost/debug/basin/",
		"http://localhost/debug/basin/?format=json": "http://localhost/debug/basin/",
		"http://localhost/%1b%5b31m":                "http://localhost/%1b%5b31m",
	} {
		source, err := remote.NewSource(address)
		if err != nil {
			t.Errorf("%q: %v", address, err)
		} else if got := source.String(); got != want {
			t.Errorf("%q becomes %s, want %s", address, got, want)
		}
	}
}
