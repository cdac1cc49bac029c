//go:build go1.25

// The part that all measured programs share: one binary is the server, and in another process the load.
//
// A program has these functions:
//
//	func serve(l net.Listener) error                       // answers until the process ends
//	func connect(addr string) (func() (int, error), error) // a client, whose function sends a request and returns the bytes of the answer
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// live is data that a server keeps, as a cache does: LIVE MiB, or a little more.
var live = map[string]*entry{}

type entry struct {
	key   string
	value []byte
}

func main() {
	log.SetFlags(0)
	if os.Args[1] == "load" {
		clients, err := strconv.Atoi(os.Args[3])
		if err != nil {
			log.Fatal(err)
		}
		requests, err := strconv.Atoi(os.Args[4])
		if err != nil {
			log.Fatal(err)
		}
		if err := load(os.Args[2], clients, requests); err != nil {
			log.Fatal(err)
		}
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mib, err := strconv.Atoi(os.Getenv("LIVE"))
	if err != nil {
		log.Fatal(err)
	}
	for i := range mib * 3000 {
		key := fmt.Sprintf("customer/%d", i)
		live[key] = &entry{key, make([]byte, 240)}
	}
	go func() { log.Fatal(serve(l)) }()
	fmt.Println(l.Addr())
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		if file, ok := strings.CutPrefix(orders.Text(), "profile "); ok {
			writeProfile(file)
		}
		figures()
	}
}

// figures prints what the process has used since it began.
func figures() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"bytes":       float64(m.TotalAlloc),
		"collections": float64(m.NumGC),
		"cpu":         float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9,
	})
}

func writeProfile(file string) {
	f, err := os.Create(file)
	if err != nil {
		log.Fatal(err)
	}
	runtime.GC() // or the profile ends some collections ago
	if err := pprof.Lookup("allocs").WriteTo(f, 0); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// load sends a number of requests, each client one after another, and prints the seconds and the bytes of the answers.
func load(addr string, clients, requests int) error {
	var calls []func() (int, error)
	for range clients {
		call, err := connect(addr)
		if err != nil {
			return err
		}
		calls = append(calls, call)
	}
	var left, bytes atomic.Int64
	left.Store(int64(requests))
	failed := make(chan error, clients)
	var all sync.WaitGroup
	began := time.Now()
	for _, call := range calls {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				n, err := call()
				if err != nil {
					failed <- err
					return
				}
				bytes.Add(int64(n))
			}
		})
	}
	all.Wait()
	took := time.Since(began).Seconds()
	select {
	case err := <-failed:
		return err
	default:
		return json.NewEncoder(os.Stdout).Encode(map[string]float64{"seconds": took, "bytes": float64(bytes.Load())})
	}
}

// overHTTP is a client that sends these requests in turn, on one connection. It uses less of the processor than
// http.Client.
func overHTTP(addr string, requests ...string) (func() (int, error), error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(c, 64<<10)
	i := 0
	return func() (int, error) {
		request := requests[i%len(requests)]
		i++
		if _, err := io.WriteString(c, request); err != nil {
			return 0, err
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		n, err := io.Copy(io.Discard, resp.Body)
		if err == nil && resp.StatusCode >= 400 {
			err = fmt.Errorf("%s to %.60q", resp.Status, request)
		}
		return int(n), err
	}, nil
}

func get(target string, headers ...string) string {
	return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(append(headers, "\r\n"), "\r\n")
}

func post(target string, body []byte, headers ...string) string {
	headers = append(headers, fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)))
	return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(headers, "\r\n") + string(body)
}
