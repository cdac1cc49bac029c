package keeping_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/testenv"
	"github.com/basin-go/basin/lab/examples/keeping"
)

// reader hides the length of a reader from ReadAll.
type reader struct{ io.Reader }

func TestBody(t *testing.T) {
	basintest.Check(t)
	text := strings.Repeat("a body ", 10_000)
	body, err := keeping.Body(reader{strings.NewReader(text)})
	if string(body) != text || err != nil {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

func TestRows(t *testing.T) {
	basintest.Check(t)
	want := []string{"one", "two", "", "four"}
	text := strings.Join(want, "\n")
	for range 3 {
		rows, err := keeping.Rows(reader{strings.NewReader(text)}, int64(len(text)))
		if !slices.Equal(rows, want) || err != nil {
			t.Errorf("%q, %v", rows, err)
		}
	}
	rows, err := keeping.Rows(strings.NewReader(""), 0)
	if len(rows) != 1 || err != nil {
		t.Errorf("of nothing: %q, %v", rows, err)
	}
	testenv.RunCleanups() // would find a leak
}
