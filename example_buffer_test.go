//go:build go1.25

package basin_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"text/template"

	"github.com/basin-go/basin"
)

func ExampleBuffer() {
	var b basin.Buffer // as bytes.Buffer
	defer b.Free()     // the difference
	b.WriteString("hello, ")
	fmt.Fprintf(&b, "%d times", 3)
	b.WriteTo(os.Stdout)
	// Output: hello, 3 times
}

func ExampleNewSmallBuffer() {
	greet := func(name string) string {
		b := basin.NewSmallBuffer() // on the stack
		b.WriteString("hello, ")
		b.WriteString(name)
		return b.String() // the only allocation
	}
	fmt.Println(greet("gopher"))
	// Output: hello, gopher
}

func ExampleBuffer_Detach() {
	line := func() []byte {
		var b basin.Buffer
		b.WriteString("one line")
		return b.Detach() // not copied; the caller puts it
	}()
	fmt.Printf("%s\n", line)
	basin.Put(line)
	// Output: one line
}

// A handler that renders before it writes the response, so that it can still report an error.
func ExampleGetBuffer_json() {
	handler := func(w http.ResponseWriter, r *http.Request) {
		b := basin.GetBuffer()
		defer basin.PutBuffer(b)
		if err := json.NewEncoder(b).Encode(map[string]int{"answer": 42}); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		b.WriteTo(w)
	}
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequest("GET", "/", nil))
	fmt.Print(w.Body)
	// Output: {"answer":42}
}

func ExampleGetBuffer_fprintf() {
	b := basin.GetBuffer()
	defer basin.PutBuffer(b)
	fmt.Fprintf(b, "%s is %d years old", "Go", 17)
	fmt.Println(b.Len(), b)
	// Output: 18 Go is 17 years old
}

func ExampleGetBuffer_gzip() {
	b := basin.GetBuffer()
	defer basin.PutBuffer(b)
	z := gzip.NewWriter(b)
	io.WriteString(z, strings.Repeat("again and ", 100))
	z.Close()

	// b is an io.Reader, too.
	response, err := gzip.NewReader(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := basin.ReadAll(response)
	fmt.Println(len(text), err)
	basin.Put(text)
	// Output: 1000 <nil>
}

func ExampleBufferPool_template() {
	pages := basin.BufferPool{MaxSize: 1 << 20} // learns the size of pages
	page := template.Must(template.New("page").Parse("Hello {{.}}!\n"))

	b := pages.Get()
	defer pages.Put(b)
	if err := page.Execute(b, "template"); err != nil {
		fmt.Println(err)
		return
	}
	b.WriteTo(os.Stdout)
	// Output: Hello template!
}

// Some functions require a real bytes.Buffer.
func ExampleStdBufferPool() {
	var pool basin.StdBufferPool
	b := pool.Get()
	defer pool.Put(b)
	json.Indent(b, []byte(`{"a":1}`), "", "  ")
	fmt.Println(b)
	// Output:
	// {
	//   "a": 1
	// }
}

// A reverse proxy that copies bodies with recycled buffers.
func ExampleBytePool_Sized_reverseProxy() {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "from the backend")
	}))
	defer backend.Close()
	target, _ := url.Parse(backend.URL)

	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.BufferPool = basin.Default().Sized(32 << 10)
	front := httptest.NewServer(proxy)
	defer front.Close()

	response, err := http.Get(front.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	body, _ := basin.ReadAll(response.Body)
	fmt.Printf("%s\n", body)
	basin.Put(body)
	// Output: from the backend
}

// A message for many receivers; the last of them recycles it.
func ExampleShared_broadcast() {
	receivers := make([]chan *basin.Shared, 3)
	var done sync.WaitGroup
	var heard sync.Mutex
	for i := range receivers {
		c := make(chan *basin.Shared, 1)
		receivers[i] = c
		done.Go(func() {
			message := <-c
			defer message.Release()
			heard.Lock()
			defer heard.Unlock()
			fmt.Printf("heard %s\n", message.Bytes())
		})
	}

	var b basin.Buffer
	fmt.Fprintf(&b, "message %d", 1)
	message := basin.Default().NewShared(b.Detach())
	for _, c := range receivers {
		c <- message.Retain()
	}
	message.Release() // the sender's own
	done.Wait()
	// Output:
	// heard message 1
	// heard message 1
	// heard message 1
}
