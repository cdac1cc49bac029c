//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// queue sends the contents of a Buffer on; the receiver puts them.
func queueBug(ch chan []byte) {
	var b basin.Buffer
	b.WriteString("job")
	job := b.Detach()
	ch <- job
	basin.Put(<-ch)
	basin.Put(job) // want: double Put
}

func queueFixed(ch chan []byte) {
	var b basin.Buffer
	b.WriteString("job")
	ch <- b.Detach()
	basin.Put(<-ch)
}

func init() {
	add("detach_put_twice", func() { queueBug(make(chan []byte, 1)) }, func() { queueFixed(make(chan []byte, 1)) })
}
