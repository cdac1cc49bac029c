//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// lookup returns early if there is nothing to look up.
func lookupBug(key string) bool {
	b := basin.Get(1000) // want: leak
	if key == "" {
		return false
	}
	basin.Put(b)
	return true
}

func lookupFixed(key string) bool {
	b := basin.Get(1000)
	defer basin.Put(b)
	if key == "" {
		return false
	}
	return true
}

func init() { add("leak_early_return", func() { lookupBug("") }, func() { lookupFixed("") }) }
