//go:build go1.25

// The part that all measured programs share: one binary is the server, and in another process its clients.
//
// A program has these functions:
//
//	func serve(l net.Listener) error                // answers until the process ends
//	func connect(addr string) (func() error, error) // a client, whose function sends a request and reads the answer
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
	"syscall"
	"time"
)

type figures struct {
	Memory int64 // live heap and stacks
	CPU    int64 // nanoseconds
}

func main() {
	if len(os.Args) > 1 {
		idle, _ := strconv.Atoi(os.Args[2])
		requests, _ := strconv.Atoi(os.Args[3])
		if err := load(os.Args[1], idle, requests); err != nil {
			log.Fatal(err)
		}
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	go func() { log.Fatal(serve(l)) }()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		runtime.GC()
		runtime.GC()
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		metrics.Read(s)
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		json.NewEncoder(os.Stdout).Encode(figures{int64(s[0].Value.Uint64() + s[1].Value.Uint64()), u.Utime.Nano() + u.Stime.Nano()})
	}
}

// load opens connections, each of which sends a request, and waits until its input has a line. Then
// eight more clients send the requests.
func load(addr string, idle, requests int) error {
	for range idle {
		request, err := connect(addr)
		if err == nil {
			err = request()
		}
		if err != nil {
			return err
		}
	}
	time.Sleep(100 * time.Millisecond)
	fmt.Println("idle")
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	var clients sync.WaitGroup
	errs := make(chan error, 8)
	for range 8 {
		request, err := connect(addr)
		if err != nil {
			return err
		}
		clients.Go(func() {
			for range requests / 8 {
				if err := request(); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	clients.Wait()
	select {
	case err := <-errs:
		return err
	default:
	}
	fmt.Println("done")
	in.Scan()
	return nil
}
