//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// publish drops a message if the subscriber is slow.
func publishBug(subscriber chan []byte) {
	m := basin.Append(nil, []byte("news")...) // want: leak
	select {
	case subscriber <- m:
	default:
	}
}

func publishFixed(subscriber chan []byte) {
	m := basin.Append(nil, []byte("news")...)
	select {
	case subscriber <- m:
	default:
		basin.Put(m)
	}
}

func init() {
	slow := make(chan []byte)
	add("leak_channel", func() { publishBug(slow) }, func() { publishFixed(slow) })
}
