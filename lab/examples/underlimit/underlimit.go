// Package underlimit reads bodies of several forms while the memory of all requests together stays under one limit:
// JSON, chunked bodies, gzip that may be a bomb, and multipart forms.
package underlimit

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basinhttp"
)

// A Server passes bodies on to Store, which must not keep data.
type Server struct {
	Bodies *basin.BytePool // its Limit is that of all requests together
	Max    int64           // the longest body, and the longest that a body may become when it is decompressed
	Wait   time.Duration   // the longest that a request waits for its memory
	Store  func(name string, data []byte) error
}

// Handler returns the handler of all requests. Each has memory before it is read, or the answer is 413 or 503.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /raw", s.raw)
	mux.HandleFunc("POST /json", s.json)
	mux.HandleFunc("POST /gzip", s.gzip)
	mux.HandleFunc("POST /form", s.form)
	return basinhttp.Admit(mux, basinhttp.Admission{Limit: s.Bodies.Limit, Max: s.Max, Wait: s.Wait, Reserve: s.reserve})
}

// reserve returns the memory that a request may need.
func (s *Server) reserve(r *http.Request) int64 {
	switch room := basinhttp.Room(s.length(r)); r.URL.Path {
	case "/json":
		return 3 * room // the body, and the values that are decoded from it
	case "/gzip":
		return basinhttp.Room(s.Max) // whatever the length of the body
	default:
		return room
	}
}

// length returns the length of the body. A chunked one may be as long as any.
func (s *Server) length(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return s.Max
	}
	return r.ContentLength
}

// read reads at most size bytes into memory of the request's reservation. The caller puts them into pool.
func (s *Server) read(r *http.Request, from io.Reader, size int64) (data []byte, pool *basin.BytePool, err error) {
	pool = basin.ReservationOf(r.Context()).Pool(s.Bodies)
	data, err = pool.ReadAllSize(from, size)
	return data, pool, err
}

// raw stores a body, which may be chunked.
func (s *Server) raw(w http.ResponseWriter, r *http.Request) {
	data, pool, err := s.read(r, r.Body, s.length(r))
	if err != nil {
		fail(w, err) // with 413 for a chunked body beyond Max
		return
	}
	defer pool.Put(data)
	if err := s.Store("raw", data); err != nil {
		fail(w, err)
	}
}

// json stores the strings of an array.
func (s *Server) json(w http.ResponseWriter, r *http.Request) {
	data, pool, err := s.read(r, r.Body, s.length(r))
	if err != nil {
		fail(w, err)
		return
	}
	var texts []string
	err = json.Unmarshal(data, &texts) // copies the strings, into the rest of the reservation
	pool.Put(data)
	for i := 0; err == nil && i < len(texts); i++ {
		err = s.Store("json", []byte(texts[i]))
	}
	if err != nil {
		fail(w, err)
	}
}

var gzips = basin.Pool[*gzip.Reader]{Name: "gzip readers", New: func() *gzip.Reader { return new(gzip.Reader) }}

// gzip stores the contents of a body that is compressed.
func (s *Server) gzip(w http.ResponseWriter, r *http.Request) {
	z := gzips.Get()
	defer gzips.Put(z)
	if err := z.Reset(r.Body); err != nil {
		fail(w, err)
		return
	}
	// A few bytes can stand for gigabytes. MaxBytesReader also ends the connection.
	contents := http.MaxBytesReader(w, io.NopCloser(z), s.Max)
	data, pool, err := s.read(r, contents, s.Max)
	if err != nil {
		fail(w, err)
		return
	}
	defer pool.Put(data)
	if err := s.Store("gzip", data); err != nil {
		fail(w, err)
	}
}

// form stores the parts of a multipart form, one at a time. ParseMultipartForm would hold all of them, and write
// those that are beyond its limit to disk.
func (s *Server) form(w http.ResponseWriter, r *http.Request) {
	parts, err := r.MultipartReader()
	if err != nil {
		fail(w, err)
		return
	}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return
		}
		if err == nil {
			err = s.part(r, part.FormName(), part)
		}
		if err != nil {
			fail(w, err)
			return
		}
	}
}

// part stores a part, which is no longer than the whole.
func (s *Server) part(r *http.Request, name string, part io.Reader) error {
	data, pool, err := s.read(r, part, s.length(r))
	if err != nil {
		return err
	}
	defer pool.Put(data)
	return s.Store(name, data)
}

// ErrStore may be wrapped by an error of Store that is the fault of this server.
var ErrStore = errors.New("not stored")

// fail answers a request that has failed: with 413 if it is too long, with 503 if there is no memory.
func fail(w http.ResponseWriter, err error) {
	switch {
	case basinhttp.Refuse(w, err):
	case errors.Is(err, ErrStore):
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}
