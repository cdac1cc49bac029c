// Shop is a server with four bugs, for docs/checking.md. It sends itself requests.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

var bodies = basin.BytePool{Name: "bodies"}

var latest atomic.Pointer[[]byte] // answer of reply

func upload(w http.ResponseWriter, r *http.Request) {
	b := bodies.Get(int(r.ContentLength))
	if _, err := io.ReadFull(r.Body, b); err != nil || b[0] != '{' {
		http.Error(w, "no order", http.StatusBadRequest)
		return // without Put
	}
	bodies.Put(b)
}

func order(w http.ResponseWriter, r *http.Request) {
	var b basin.Buffer // without Free
	json.NewEncoder(&b).Encode(map[string]string{"state": "sent", "note": string(note)})
	w.Write(b.Bytes())
}

func reply(w http.ResponseWriter, r *http.Request) {
	b := bodies.Get(1000)
	defer bodies.Put(b)
	n := copy(b, "all items are in stock")
	if r.URL.RawQuery != "" {
		bodies.Put(b) // a second Put follows
		http.Error(w, "which item?", http.StatusBadRequest)
		return
	}
	w.Write(b[:n])
	answer := b[:n]
	latest.Store(&answer) // which history uses after Put
}

func history(w http.ResponseWriter, r *http.Request) {
	if answer := latest.Load(); answer != nil {
		fmt.Fprintf(w, "the latest answer was %q", *answer)
	}
}

var note = bytes.Repeat([]byte("x"), 60_000)

func main() {
	addr := flag.String("addr", "localhost:0", "address of the server")
	duration := flag.Duration("for", time.Minute, "time until it ends")
	flag.Parse()

	mux := http.NewServeMux()
	mux.Handle("/upload", basinhttp.Catch(http.HandlerFunc(upload)))
	mux.Handle("/order", basinhttp.Catch(http.HandlerFunc(order)))
	mux.Handle("/reply", basinhttp.Catch(http.HandlerFunc(reply)))
	mux.Handle("/history", basinhttp.Catch(http.HandlerFunc(history)))
	mux.Handle("/debug/basin/", basinhttp.Handler())
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(l, mux)
	customers("http://"+l.Addr().String(), time.Now().Add(*duration))
}

// customers sends requests until the end. One upload in a hundred is no order, and one reply in twenty names
// no item.
func customers(shop string, end time.Time) {
	body := append([]byte("{"), make([]byte, 4000)...)
	bad := make([]byte, 4000)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				switch {
				case i%100 == 50:
					send(http.Post(shop+"/upload", "", bytes.NewReader(bad)))
				case i%100 == 70:
					send(http.Get(shop + "/order"))
				case i%100 == 90:
					send(http.Get(shop + "/history"))
				case i%20 == 5:
					send(http.Get(shop + "/reply?unknown"))
				case i%2 == 0:
					send(http.Get(shop + "/reply"))
				default:
					send(http.Post(shop+"/upload", "", bytes.NewReader(body)))
				}
			}
		})
	}
	all.Wait()
}

func send(resp *http.Response, err error) {
	if err != nil {
		return
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}
