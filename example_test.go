//go:build go1.25

package basin_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"

	"github.com/basin-go/basin"
)

// Borrow a slice, use it, give it back.
func Example() {
	b := basin.Get(5)
	defer basin.Put(b)

	n := copy(b, "hello")
	os.Stdout.Write(b[:n])
	// Output: hello
}

// The slice has the requested length, and the capacity of its size class or of a larger one. Put
// recycles the whole array, whatever the slice's length is by then.
func ExampleGet() {
	b := basin.Get(1000)
	fmt.Println(len(b), cap(b) >= 1024)

	b = b[:10]
	basin.Put(b)
	// Output: 1000 true
}

func ExampleMake() {
	b := basin.Get(100)[:0]
	b = append(b, "hello, "...)
	b = fmt.Appendf(b, "%d worlds", 3)
	fmt.Printf("%s\n", b)
	basin.Put(b)
	// Output: hello, 3 worlds
}

// Append grows through the pool: it recycles the outgrown array.
func ExampleAppend() {
	line := []byte("a line of text\n")
	b := basin.Get(64)[:0]
	for range 100 {
		b = basin.Append(b, line...)
	}
	fmt.Println(len(b))
	basin.Put(b)
	// Output: 1500
}

// Functions such as AppendEncode append with the built-in append, which allocates outside of the pool if there is
// too little room.
func ExampleGrow() {
	image := []byte("GIF89a")
	b := basin.Get(64)[:0]
	defer func() { basin.Put(b) }()
	b = basin.AppendString(b, "data:image/gif;base64,")
	b = basin.Grow(b, base64.StdEncoding.EncodedLen(len(image)))
	b = base64.StdEncoding.AppendEncode(b, image)
	fmt.Println(string(b))
	// Output: data:image/gif;base64,R0lGODlh
}

func ExampleReadAll() {
	b, err := basin.ReadAll(strings.NewReader("all that the reader has"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer basin.Put(b)
	fmt.Printf("%s\n", b)
	// Output: all that the reader has
}

func ExampleBytePool_ReadAllSize() {
	response := &http.Response{Body: io.NopCloser(strings.NewReader("body")), ContentLength: 4}
	b, err := basin.Default().ReadAllSize(response.Body, response.ContentLength)
	if err != nil {
		panic(err)
	}
	defer basin.Put(b)
	fmt.Printf("%s\n", b)
	// Output: body
}

// Put drops foreign slices, and parts of the pool's own, and counts them.
func ExampleBytePool_Put() {
	pool := new(basin.BytePool)
	pool.Put(pool.Get(1000))

	pool.Put(pool.Get(1000)[1:]) // a part
	pool.Put(make([]byte, 1000)) // foreign
	s := pool.Stats()
	fmt.Println("kept:", s.Puts, "dropped:", s.Drops.Total())
	// Output: kept: 1 dropped: 2
}

// A separate pool for large slices, which keeps at most 256 MiB of idle memory and shows no user
// another user's bytes.
func ExampleBytePool() {
	pool := &basin.BytePool{
		Name:    "images",
		MinSize: 64 << 10,
		MaxSize: 16 << 20,
		MaxIdle: 256 << 20,
		Zero:    true,
	}

	b := pool.Get(1 << 20)
	copy(b, "secret")
	pool.Put(b)

	b = pool.Get(1 << 20)
	fmt.Println(bytes.Contains(b, []byte("secret")))
	pool.Put(b)
	// Output: false
}

// A reverse proxy copies bodies through buffers of one size.
func ExampleBytePool_Sized() {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hello from the backend")
	}))
	defer backend.Close()
	target, _ := url.Parse(backend.URL)

	pool := &basin.BytePool{Name: "proxy"}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(target) },
		BufferPool: pool.Sized(32 << 10),
	})
	defer proxy.Close()

	response, err := http.Get(proxy.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
	fmt.Println()
	fmt.Println("buffers taken:", pool.Stats().Gets)
	// Output:
	// hello from the backend
	// buffers taken: 1
}

// Statistics are always on. Memory that stays in use for ever was never put back.
func ExampleBytePool_Stats() {
	pool := &basin.BytePool{Name: "requests"}

	a, b := pool.Get(1000), pool.Get(5000)
	pool.Put(a)
	_ = b // forgotten

	s := pool.Stats()
	fmt.Println(s.Name, "gets:", s.Gets, "puts:", s.Puts)
	fmt.Println("in use:", s.Bytes.InUse, "idle:", s.Bytes.Idle)
	for _, c := range s.Classes {
		fmt.Println("class", c.Size, "in use:", c.Bytes.InUse)
	}
	// Output:
	// requests gets: 2 puts: 1
	// in use: 6144 idle: 1024
	// class 1024 in use: 0
	// class 6144 in use: 6144
}
