// Package uploads is a server that reads uploads whole, in several ways. It also makes the uploads for its clients.
package uploads

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/basin-go/basin"
	"golang.org/x/sync/semaphore"
)

// Config has the settings of a server.
type Config struct {
	Way, Manner  string
	Size         int64 // of an upload, decoded
	Max, MaxIdle int64
}

// Manners are the manners to meet the limit.
var Manners = []string{"none", "semaphore", "refuse", "reserve"}

// SocketBuffer is the size of the kernel's buffers for a connection, at either end. With more, the kernel takes a
// whole upload, and the server reads one after another instead of all at once.
const SocketBuffer = 64 << 10

// Figures are those of a server.
type Figures struct {
	Served, Refused, Wrong int
	PeakInUse              int64
	Beyond, Waited         uint64
	Collections            uint32
}

// A way reads an upload.
type way struct {
	name string
	kind encoding

	// need returns the bytes to reserve for an upload of n bytes, decoded.
	need func(n int64) int64

	// read reads the upload in memory of pool, and checks it.
	read func(s *server, r *http.Request, pool *basin.BytePool) error

	// plain does the same with the standard library.
	plain func(s *server, r *http.Request) error
}

// Ways returns the names of all ways.
func Ways() (names []string) {
	for _, w := range ways {
		names = append(names, w.name)
	}
	return names
}

type encoding int

const (
	raw encoding = iota
	gzipped
	inParts
	inJSON
)

type server struct {
	Config
	way   way
	limit basin.Limit
	door  basin.Limit // see enter
	weigh *semaphore.Weighted

	served, refused, wrong atomic.Int64
}

// Part is the main function of the server. It prints its address, and at the end of in its figures.
func Part(settings string, in io.Reader, out io.Writer) error {
	s := &server{}
	if err := json.Unmarshal([]byte(settings), &s.Config); err != nil {
		return err
	}
	i := slices.IndexFunc(ways, func(w way) bool { return w.name == s.Way })
	if i < 0 || !slices.Contains(Manners, s.Manner) {
		return fmt.Errorf("no way %q, or no manner %q", s.Way, s.Manner)
	}
	s.way = ways[i]
	s.limit = basin.Limit{Name: "uploads", Max: s.Max}
	s.door = basin.Limit{Name: "door", Max: s.Max}
	s.weigh = semaphore.NewWeighted(s.Max)
	pool := &basin.BytePool{Name: "default", MaxIdle: s.MaxIdle, MaxSize: max(basin.DefaultMaxSize, int(2*s.Size))}
	if s.Manner == "refuse" || s.Manner == "reserve" {
		pool.Limit = &s.limit
	}
	basin.SetDefault(pool)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, listener.Addr())
	web := http.Server{Handler: s, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		c.(*net.TCPConn).SetReadBuffer(SocketBuffer)
		return ctx
	}}
	go web.Serve(listener)
	io.Copy(io.Discard, in)
	stats := s.limit.Stats()
	door := s.door.Stats()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return json.NewEncoder(out).Encode(Figures{
		Served: int(s.served.Load()), Refused: int(s.refused.Load()), Wrong: int(s.wrong.Load()),
		PeakInUse: stats.PeakInUse.Bytes, Beyond: stats.Beyond, Waited: stats.Waited + door.Waited, Collections: m.NumGC,
	})
}

// ServeHTTP answers 200 if the upload is right, and 503 if there is no room for it.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := s.serve(r)
	switch {
	case err == nil:
		s.served.Add(1)
		w.WriteHeader(http.StatusOK)
	case errors.Is(err, basin.ErrLimit):
		s.refused.Add(1)
		io.Copy(io.Discard, r.Body) // otherwise clients that still send do not see the answer
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		s.wrong.Add(1)
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (s *server) serve(r *http.Request) error {
	need := s.way.need(s.Size)
	switch s.Manner {
	case "semaphore":
		if err := s.weigh.Acquire(r.Context(), need); err != nil {
			return err
		}
		defer s.weigh.Release(need)
		return s.way.plain(s, r)
	case "reserve":
		from := &s.limit
		if s.way.name == "GetBuffer" {
			// Its memory is that of the default pool, which does not draw from reservations. So this
			// is a Limit of the door alone, whose reservations stand for that memory.
			from = &s.door
		}
		reserved, err := from.Acquire(r.Context(), need)
		if err != nil {
			return err
		}
		defer reserved.Release()
		if from == &s.door {
			return s.way.read(s, r, basin.Default())
		}
		return s.way.read(s, r.WithContext(reserved.Context(r.Context())), reserved.Pool(nil))
	}
	return s.way.read(s, r, basin.Default())
}

// A document is an upload as JSON.
type document struct {
	Items []item `json:"items"`
}

type item struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

const itemSize = 1000

// decoded counts the memory that decoding takes on the heap, n bytes, until done is called. A request with a
// reservation has reserved it already.
func (s *server) decoded(r *http.Request, n int64) (done func(), err error) {
	if s.Manner != "refuse" {
		return func() {}, nil
	}
	none, err := s.limit.Acquire(r.Context(), 0)
	if err != nil {
		return nil, err
	}
	// Acquire does not wait with the context of a reservation.
	counted, err := s.limit.Acquire(none.Context(r.Context()), n)
	if err != nil {
		none.Release()
		return nil, err
	}
	return func() { counted.Release(); none.Release() }, nil
}

// checkJSON decodes a document and checks it.
func checkJSON(r *http.Request, data []byte, size int64) error {
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	s, err := streamOf(r)
	if err != nil {
		return err
	}
	n := int64(0)
	for i, it := range d.Items {
		if it.ID != i || !s.next([]byte(it.Text)) {
			return errWrong
		}
		n += int64(len(it.Text))
	}
	return whole(n, size)
}

var errWrong = errors.New("a byte is wrong")

// check checks the data of an upload.
func check(r *http.Request, data []byte, size int64) error {
	s, err := streamOf(r)
	if err != nil {
		return err
	}
	if !s.next(data) {
		return errWrong
	}
	return whole(int64(len(data)), size)
}

func whole(n, size int64) error {
	if n != size {
		return fmt.Errorf("%d bytes, want %d", n, size)
	}
	return nil
}

// A stream is the data of an upload: letters that depend on a seed.
type stream struct {
	seed, at uint64
	left     []byte
	word     [512]byte
}

const seedHeader = "X-Seed"

func streamOf(r *http.Request) (*stream, error) {
	seed, err := strconv.ParseUint(r.Header.Get(seedHeader), 10, 64)
	return &stream{seed: seed}, err
}

// more makes the next letters.
func (s *stream) more() {
	for i := 0; i < len(s.word); i += 8 {
		s.at++
		z := (s.seed<<32 + s.at) * 0x9e3779b97f4a7c15 // splitmix64
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(s.word[i:], z>>3&0x0f0f0f0f0f0f0f0f+0x6161616161616161)
	}
	s.left = s.word[:]
}

// Read reads the next letters.
func (s *stream) Read(p []byte) (int, error) {
	if len(s.left) == 0 {
		s.more()
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

// next reports whether p has the next letters.
func (s *stream) next(p []byte) bool {
	for len(p) > 0 {
		if len(s.left) == 0 {
			s.more()
		}
		n := min(len(p), len(s.left))
		if !bytes.Equal(p[:n], s.left[:n]) {
			return false
		}
		p, s.left = p[n:], s.left[n:]
	}
	return true
}

// A Body is an upload as it is sent.
type Body struct {
	Header http.Header
	Data   []byte
}

// seeds is the number of different uploads. Memory that two requests share by mistake has wrong bytes.
const seeds = 8

// Encode returns the uploads for a way.
func Encode(name string, size int64) (bodies []Body, err error) {
	i := slices.IndexFunc(ways, func(w way) bool { return w.name == name })
	for seed := range uint64(seeds) {
		var b bytes.Buffer
		header := http.Header{seedHeader: {strconv.FormatUint(seed, 10)}}
		from := io.LimitReader(&stream{seed: seed}, size)
		switch ways[i].kind {
		case raw:
			_, err = b.ReadFrom(from)
		case gzipped:
			z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
			_, err = io.Copy(z, from)
			err = cmp.Or(err, z.Close())
		case inParts:
			m := multipart.NewWriter(&b)
			header.Set("Content-Type", m.FormDataContentType())
			var part io.Writer
			if err = m.WriteField("name", "upload"); err == nil {
				if part, err = m.CreateFormFile("file", "upload.txt"); err == nil {
					_, err = io.Copy(part, from)
				}
			}
			err = cmp.Or(err, m.Close())
		case inJSON:
			var d document
			for text := make([]byte, itemSize); ; {
				n, readErr := io.ReadFull(from, text)
				if n > 0 {
					d.Items = append(d.Items, item{len(d.Items), string(text[:n])})
				}
				if readErr != nil {
					break
				}
			}
			err = json.NewEncoder(&b).Encode(d)
		}
		if err != nil {
			return nil, err
		}
		bodies = append(bodies, Body{header, b.Bytes()})
	}
	return bodies, nil
}
