//go:build go1.25

// Package racing has programs for the race detector. In "late" another goroutine reads a slice that has been put, in
// "write" it writes to the slice. "handed" and "pooled" are correct: a slice goes from goroutine to goroutine, through
// a channel or through the pool alone.
package racing

import (
	"strings"
	"sync"
	"time"

	"github.com/basin-go/basin"
)

// Run runs a program with slices of a pool. name has both, such as "late bytes" or "late fixed".
func Run(name string) {
	name, pool, _ := strings.Cut(name, " ")
	run := programs[name]
	switch pool {
	case "bytes":
		run(func() []byte { return basin.Get(200) }, basin.Put)
	case "fixed":
		pool := &basin.FixedPool{Count: 4, Size: 256}
		run(pool.Get, pool.Put)
	}
}

var sink byte

var programs = map[string]func(get func() []byte, put func([]byte)){
	"late": func(get func() []byte, put func([]byte)) {
		b := get()
		b[0] = 1
		var reader sync.WaitGroup
		reader.Add(1)
		go func() {
			defer reader.Done()
			time.Sleep(10 * time.Millisecond) // the detector does not take a Sleep for synchronization
			sink = b[0]
		}()
		put(b)
		reader.Wait()
	},
	"write": func(get func() []byte, put func([]byte)) {
		b := get()
		var writer sync.WaitGroup
		writer.Add(1)
		go func() {
			defer writer.Done()
			b[100] = 1
		}()
		time.Sleep(10 * time.Millisecond)
		put(b)
		writer.Wait()
	},
	"handed": func(get func() []byte, put func([]byte)) {
		ch := make(chan []byte)
		done := make(chan bool)
		go func() {
			for b := range ch {
				b[0]++
				put(b)
			}
			close(done)
		}()
		for range 100 {
			b := get()
			b[0] = 1
			ch <- b
		}
		close(ch)
		<-done
	},
	"pooled": func(get func() []byte, put func([]byte)) {
		var all sync.WaitGroup
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				for range 1000 {
					b := get()
					for i := range b {
						b[i]++
					}
					put(b)
				}
			}()
		}
		all.Wait()
	},
}
