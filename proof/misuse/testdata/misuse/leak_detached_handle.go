//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// page detaches from a handle, which it puts back.
func pageBug() int {
	b := basin.GetBuffer()
	defer basin.PutBuffer(b)
	b.WriteString(part)
	page := b.Detach() // want: leak
	return len(page)
}

func pageFixed() int {
	b := basin.GetBuffer()
	defer basin.PutBuffer(b)
	b.WriteString(part)
	page := b.Detach()
	defer basin.Put(page)
	return len(page)
}

func init() { add("leak_detached_handle", func() { pageBug() }, func() { pageFixed() }) }
