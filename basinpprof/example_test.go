package basinpprof_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/google/pprof/profile"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/basinpprof"
)

// The profile stands beside those of net/http/pprof. go tool pprof reads it from
// there, as this program does.
func ExampleRegister() {
	before := basincheck.Now()
	defer basincheck.Set(before)
	basincheck.Set(basincheck.Settings{Level: basincheck.Full}) // Sampled in production

	mux := http.NewServeMux()
	basinpprof.Register(mux)
	server := httptest.NewServer(mux)
	defer server.Close()

	uploads := &basin.BytePool{Name: "uploads"}
	b := uploads.Get(1000) // not put back yet

	response, err := http.Get(server.URL + "/debug/pprof/" + basinpprof.Name)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	p, err := profile.Parse(response.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range p.Sample {
		if s.HasLabel("pool", "uploads") {
			fmt.Println(s.Value[0], "object", s.Value[1], "bytes")
		}
	}
	uploads.Put(b)
	// Output: 1 object 1024 bytes
}

// A profile in a file is the base of a later one: go tool pprof -diff_base before.pb.gz after.pb.gz.
func ExampleWrite() {
	file, err := os.CreateTemp("", "before*.pb.gz")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if err := basinpprof.Write(file); err != nil {
		fmt.Println(err)
		return
	}
	info, err := file.Stat()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Size() > 0)
	// Output: true
}
