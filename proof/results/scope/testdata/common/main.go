//go:build go1.25

// The main function of all programs: four goroutines answer requests for some time. It prints requests per
// CPU second, the peak of resident memory in KiB, and a hash of the answers.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	first := answer()
	before := cpu()
	var requests atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := 0; n < 3 || time.Now().Before(end); n++ {
				if a := answer(); a != first {
					fmt.Println("the answers differ")
					os.Exit(1)
				}
				requests.Add(1)
			}
		})
	}
	all.Wait()
	used := cpu() - before
	h := fnv.New32()
	h.Write([]byte(first))
	fmt.Println(float64(requests.Load())/used, peak(), h.Sum32())
}

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peak returns the peak of resident memory in KiB.
func peak() int {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	n, _ := strconv.Atoi(strings.Fields(rest)[0])
	return n
}
