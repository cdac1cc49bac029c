//go:build go1.25

package basinexpvar_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexport"
	"github.com/basin-go/basin/basinexpvar"
)

// variables returns the variable of basin in /debug/vars.
func variables(t *testing.T) []basin.Stats {
	t.Helper()
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest("GET", "/debug/vars", nil))
	var vars struct{ Basin json.RawMessage }
	if err := json.Unmarshal(w.Body.Bytes(), &vars); err != nil {
		t.Fatalf("%v in\n%s", err, w.Body)
	}
	if vars.Basin[0] != '[' {
		t.Fatalf("the variable is %s, want an array", vars.Basin)
	}
	var snapshots []basin.Stats
	if err := json.Unmarshal(vars.Basin, &snapshots); err != nil {
		t.Fatalf("%v in\n%s", err, vars.Basin)
	}
	return snapshots
}

func TestMain(m *testing.M) {
	basinexpvar.Publish("basin")
	m.Run()
}

func TestNoPools(t *testing.T) {
	for len(basinexport.Append(nil)) > 0 { // those of other tests
		runtime.GC()
	}
	if got := variables(t); len(got) > 0 {
		t.Errorf("there are %v", got)
	}
}

func TestPools(t *testing.T) {
	hostile := "<script>\"'\n\x1b[31m" + strings.Repeat("x", 10<<10)
	bytes := &basin.BytePool{Name: hostile, MaxInUse: 1 << 20}
	values := &basin.Pool[struct{ a, b int }]{Name: "values"}
	invalid := &basin.BytePool{Name: "a\xffb"}
	for n := range 10 {
		bytes.Put(bytes.Get(1000 * n))
		values.Put(values.Get())
		invalid.Put(invalid.Get(n))
	}
	bytes.Get(5000)

	published := map[string]basin.Stats{}
	for _, s := range variables(t) {
		published[s.Name] = s
	}
	for _, want := range basinexport.Append(nil) {
		want.Name = strings.ToValidUTF8(want.Name, "\ufffd")
		got := published[want.Name]
		if !reflect.DeepEqual(got, want) {
			t.Errorf("published is\n%#v\nwant\n%#v", got, want)
		}
		delete(published, want.Name)
	}
	if len(published) > 0 {
		t.Errorf("published is also %v", published)
	}
	runtime.KeepAlive(invalid)
	runtime.KeepAlive(values)
	runtime.KeepAlive(bytes)
}

func TestPublishTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a name that is taken does not panic")
		}
	}()
	basinexpvar.Publish("basin")
}
