//go:build go1.25

package basinhttp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// The page is mounted where the program has its other pages for those who run it.
// Scripts get the figures as JSON.
func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle("/debug/basin/", basinhttp.Handler())
	server := httptest.NewServer(mux)
	defer server.Close()

	pool := &basin.BytePool{Name: "uploads"}
	b := pool.Get(1000)

	response, err := http.Get(server.URL + "/debug/basin/?format=json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	var report basinhttp.Report
	if err := json.NewDecoder(response.Body).Decode(&report); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range report.Pools {
		if s.Name == "uploads" {
			fmt.Println(s.Kind, s.Items.InUse, "in use")
		}
	}
	pool.Put(b)
	// Output: BytePool 1 in use
}

// A server that several names lead to, with the button that trims.
func ExampleAllowHosts() {
	page := basinhttp.Handler(basinhttp.AllowHosts("app.example.com", "10.0.0.7"), basinhttp.AllowTrim())

	for _, host := range []string{"app.example.com", "localhost:6060", "elsewhere.example.com"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		page.ServeHTTP(w, r)
		fmt.Println(host, w.Code)
	}
	// Output:
	// app.example.com 200
	// localhost:6060 200
	// elsewhere.example.com 403
}

// A script reads the figures of the last hour, after an incident for example.
func ExampleKeepHistory() {
	server := httptest.NewServer(basinhttp.Handler(basinhttp.KeepHistory(time.Hour)))
	defer server.Close()

	response, err := http.Get(server.URL + "/?format=history")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	var history basinhttp.History
	if err := json.NewDecoder(response.Body).Decode(&history); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("figures of", history.Span)
	most := int64(0)
	for _, moment := range history.Moments { // none yet: the handler reads every 15 seconds
		for _, pool := range moment.Pools {
			most = max(most, pool.InUse)
		}
	}
	fmt.Println(most, "in use at most")
	// Output:
	// figures of 1h0m0s
	// 0 in use at most
}

// All uploads together take at most 120 MiB. Further ones wait for at most 5 seconds.
func ExampleAdmit() {
	uploads := &basin.Limit{Name: "uploads", Max: 120 << 20}
	bodies := &basin.BytePool{Name: "bodies", Limit: uploads}

	store := func(w http.ResponseWriter, r *http.Request) {
		pool := basin.ReservationOf(r.Context()).Pool(bodies) // draws from the reservation
		body, err := pool.ReadAllSize(r.Body, r.ContentLength)
		if err != nil {
			if !basinhttp.Refuse(w, err) { // 413 or 503
				http.Error(w, err.Error(), http.StatusBadRequest)
			}
			return
		}
		defer pool.Put(body)
		fmt.Fprintf(w, "%d bytes", len(body))
	}
	server := httptest.NewServer(basinhttp.Admit(http.HandlerFunc(store), basinhttp.Admission{
		Limit: uploads,
		Max:   8 << 20,
		Wait:  5 * time.Second,
	}))
	defer server.Close()

	for _, size := range []int{3 << 20, 9 << 20} {
		response, err := http.Post(server.URL, "", bytes.NewReader(make([]byte, size)))
		if err != nil {
			fmt.Println(err)
			return
		}
		answer, _ := io.ReadAll(response.Body)
		response.Body.Close()
		fmt.Printf("%d %s\n", response.StatusCode, bytes.TrimSpace(answer))
	}
	fmt.Println(uploads.Stats().Reserved, "reserved")
	// Output:
	// 200 3145728 bytes
	// 413 the body is longer than 8388608 bytes
	// 0 reserved
}
