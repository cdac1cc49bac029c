package work

import (
	"encoding/json"

	"github.com/basin-go/basin/lab/internal/subjects"
)

func init() {
	add(&Workload{
		Name: "buffer-short", Group: GroupBuffers, Goroutines: 1,
		What: "A buffer, one write of 100 bytes, and back.",
		Op:   "one buffer",
		Can:  canBuffers,
		New:  newShortBuffers,
	}, &Workload{
		Name: "buffer-build", Group: GroupBuffers, Goroutines: 1,
		What: "A buffer of about 8 KiB, built in small writes: bytes, strings of 8 and slices of 50 bytes, as a printer of text does.",
		Op:   "one buffer of 8 KiB",
		Can:  canBuffers,
		New:  newBuiltBuffers,
	}, &Workload{
		Name: "buffer-parallel", Group: GroupBuffers,
		What: "The same on one goroutine for each P.",
		Op:   "one buffer of 8 KiB",
		Can:  canBuffers,
		New:  newBuiltBuffers,
	}, &Workload{
		Name: "json", Group: GroupBuffers, Goroutines: 1,
		What: "encoding/json writes an object of about 2 KB to a buffer. Most of the time is the encoder's.",
		Op:   "one object",
		Can:  canBuffers,
		New:  newJSON,
	})
}

func newShortBuffers(s *subjects.Subject, _ Env) *Unit {
	p := s.Buffers()
	hundred := make([]byte, 100)
	return &Unit{Misses: missesOf(p), Run: func(_, n int) {
		for range n {
			b := p.Get()
			b.Write(hundred)
			p.Put(b)
		}
	}}
}

func newBuiltBuffers(s *subjects.Subject, _ Env) *Unit {
	p := s.Buffers()
	fifty := make([]byte, 50)
	return &Unit{Misses: missesOf(p), Run: func(_, n int) {
		for range n {
			b := p.Get()
			for range 128 { // 64 bytes each
				b.WriteByte('"')
				b.WriteString("12345678")
				b.Write(fifty)
				b.WriteString("\": ")
				b.WriteByte(',')
				b.WriteByte('\n')
			}
			p.Put(b)
		}
	}}
}

// A document is the value to encode.
type document struct {
	ID      int64             `json:"id"`
	Name    string            `json:"name"`
	Tags    []string          `json:"tags"`
	Price   float64           `json:"price"`
	Stock   map[string]int    `json:"stock"`
	Details []documentDetail  `json:"details"`
	Extra   map[string]string `json:"extra,omitempty"`
}

type documentDetail struct {
	Title string  `json:"title"`
	Text  string  `json:"text"`
	Score float64 `json:"score"`
	OK    bool    `json:"ok"`
}

func newDocument() *document {
	d := &document{ID: 4711, Name: "A pool of water", Tags: []string{"deep", "cold", "still"}, Price: 12.75, Stock: map[string]int{"north": 3, "south": 14}}
	for i := range 16 {
		d.Details = append(d.Details, documentDetail{Title: "Detail", Text: "It is as long as sentences are, more or less, and has a \"quote\".", Score: float64(i) / 3, OK: i%2 == 0})
	}
	return d
}

func newJSON(s *subjects.Subject, _ Env) *Unit {
	p := s.Buffers()
	d := newDocument()
	return &Unit{Misses: missesOf(p), Run: func(_, n int) {
		for range n {
			b := p.Get()
			if err := json.NewEncoder(b).Encode(d); err != nil {
				panic(err)
			}
			p.Put(b)
		}
	}}
}
