//go:build go1.25

// The part that all measured programs share: one binary is the server, and in another process the load.
//
// A program has these functions:
//
//	func serve(l net.Listener) error          // answers until the process ends
//	func connect(addr string) (request, error) // a client
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
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
		if err := load(os.Args[2:]); err != nil {
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

// A request sends the request of a number, waits for the answer, and writes all of it that matters. The same number has the
// same answer. giant stands for a large request.
type request func(number int, answer io.Writer) error

const giant = -1

// load sends requests of clients, each one after another, and prints figures of them. Its arguments are an address, the
// number of clients, of requests, and of milliseconds, and the number of requests for each giant. A number that is zero
// stands for none.
func load(args []string) error {
	var numbers [4]int
	for i := range numbers {
		var err error
		if numbers[i], err = strconv.Atoi(args[1+i]); err != nil {
			return err
		}
	}
	clients, requests, limit, giants := numbers[0], numbers[1], time.Duration(numbers[2])*time.Millisecond, numbers[3]
	var calls []request
	for range clients {
		call, err := connect(args[0])
		if err != nil {
			return err
		}
		calls = append(calls, call)
	}
	var next, sum, bytes atomic.Int64
	failed := make(chan error, clients)
	times := make([][]time.Duration, clients)
	var all sync.WaitGroup
	began := time.Now()
	for c, call := range calls {
		all.Go(func() {
			answer := crc32.New(crc32.MakeTable(crc32.Castagnoli))
			counted := &counter{w: answer}
			for {
				i := int(next.Add(1)) - 1
				if requests > 0 && i >= requests || limit > 0 && time.Since(began) > limit {
					break
				}
				number := i
				if giants > 0 && i%giants == giants-1 {
					number = giant
				}
				answer.Reset()
				sent := time.Now()
				if err := call(number, counted); err != nil {
					failed <- err
					return
				}
				times[c] = append(times[c], time.Since(sent))
				sum.Add(int64(answer.Sum32()))
			}
			bytes.Add(counted.n)
		})
	}
	all.Wait()
	took := time.Since(began)
	select {
	case err := <-failed:
		return err
	default:
	}
	sorted := slices.Sorted(slices.Values(slices.Concat(times...)))
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"requests": float64(len(sorted)),
		"seconds":  took.Seconds(),
		"bytes":    float64(bytes.Load()),
		"sum":      float64(sum.Load()),
		"p99":      sorted[len(sorted)*99/100].Seconds(),
	})
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.w.Write(p)
}

// overHTTP is a client that sends one of these requests by its number, on one connection. The first is the giant, unless it
// is the only one. It uses less of the processor than http.Client.
func overHTTP(addr string, requests ...string) (request, error) {
	return decoded(addr, func(resp *http.Response, answer io.Writer) error {
		_, err := io.Copy(answer, resp.Body)
		return err
	}, requests...)
}

// decoded is overHTTP for answers of which not all matters.
func decoded(addr string, decode func(resp *http.Response, answer io.Writer) error, requests ...string) (request, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(c, 64<<10)
	large, others := requests[0], requests[1:]
	if len(others) == 0 {
		others = requests
	}
	return func(number int, answer io.Writer) error {
		text := large
		if number != giant {
			text = others[number%len(others)]
		}
		if _, err := io.WriteString(c, text); err != nil {
			return err
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode >= 400 {
			return fmt.Errorf("%s to %.60q", resp.Status, text)
		}
		return decode(resp, answer)
	}, nil
}

func get(target string, headers ...string) string {
	return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(append(headers, "\r\n"), "\r\n")
}

func post(target string, body []byte, headers ...string) string {
	headers = append(headers, fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)))
	return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(headers, "\r\n") + string(body)
}
