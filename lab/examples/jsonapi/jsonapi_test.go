package jsonapi_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/lab/examples/jsonapi"
)

func TestAdd(t *testing.T) {
	for _, tt := range []struct {
		name   string
		body   io.Reader
		status int
		answer string
	}{
		{"two items", strings.NewReader(`{"items":[{"name":"tea","cents":250,"count":2},{"name":"cake","cents":400,"count":1}]}`), http.StatusOK, `{"cents":900}` + "\n"},
		{"no items", strings.NewReader(`{}`), http.StatusOK, `{"cents":0}` + "\n"},
		{"no JSON", strings.NewReader(`{"items":`), http.StatusBadRequest, ""},
		{"empty", strings.NewReader(""), http.StatusBadRequest, ""},
		{"too large", strings.NewReader(`{"items":[]}` + strings.Repeat(" ", 1<<20)), http.StatusRequestEntityTooLarge, ""},
		{"client gone", io.MultiReader(strings.NewReader(`{"items":`), iotest.ErrReader(errors.New("gone"))), http.StatusBadRequest, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			basintest.Check(t)
			w := httptest.NewRecorder()
			jsonapi.Add(w, httptest.NewRequest("POST", "/total", tt.body))
			if w.Code != tt.status {
				t.Errorf("status %d, want %d", w.Code, tt.status)
			}
			if tt.answer != "" && w.Body.String() != tt.answer {
				t.Errorf("answered %q, want %q", w.Body, tt.answer)
			}
		})
	}
}
