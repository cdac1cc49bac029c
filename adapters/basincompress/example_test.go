package basincompress_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"github.com/basin-go/basin/adapters/basincompress"
)

var writers = basincompress.Writers{MaxItems: 16}

func Example() {
	wrap, err := gzhttp.NewWrapper(gzhttp.Implementation(writers.Gzip()), gzhttp.ZstdImplementation(writers.Zstd()))
	if err != nil {
		panic(err)
	}
	page := wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Repeat("a long page ", 1000))
	}))
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "zstd")
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	fmt.Println(w.Header().Get("Content-Encoding"), w.Body.Len() < 500)
	// Output: zstd true
}
