//go:build go1.25

package basinexpvar_test

import (
	"encoding/json"
	"expvar"
	"fmt"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinexpvar"
)

func init() {
	basinexpvar.Publish("pools") // once, when the program starts
}

// The variable in /debug/vars is an array of basin.Stats.
func ExamplePublish() {
	uploads := &basin.BytePool{Name: "uploads"}
	uploads.Put(uploads.Get(1000))

	var all []basin.Stats
	if err := json.Unmarshal([]byte(expvar.Get("pools").String()), &all); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range all {
		if s.Name == "uploads" {
			fmt.Println(s.Kind, s.Gets, "gets", s.Bytes.Idle, "bytes idle")
		}
	}
	uploads.Trim()
	// Output: BytePool 1 gets 1024 bytes idle
}
