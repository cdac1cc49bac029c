//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// work leaves the Put to a goroutine, which returns without it.
func workBug(quit chan bool) {
	b := basin.Get(4000) // want: leak
	done := make(chan bool)
	go func() {
		defer close(done)
		select {
		case <-quit:
			return
		default:
		}
		basin.Put(b)
	}()
	<-done
}

func workFixed(quit chan bool) {
	b := basin.Get(4000)
	done := make(chan bool)
	go func() {
		defer close(done)
		defer basin.Put(b)
		select {
		case <-quit:
			return
		default:
		}
	}()
	<-done
}

func init() {
	quit := make(chan bool)
	close(quit)
	add("leak_goroutine", func() { workBug(quit) }, func() { workFixed(quit) })
}
