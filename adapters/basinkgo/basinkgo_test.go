package basinkgo_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinkgo"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/internal/pooltest"
)

var codecs = []struct {
	name string
	kgo.CompressionCodec
}{{"none", kgo.NoCompression()}, {"gzip", kgo.GzipCompression()}, {"snappy", kgo.SnappyCompression()}, {"lz4", kgo.Lz4Compression()}, {"zstd", kgo.ZstdCompression()}}

func compress(t testing.TB, codec kgo.CompressionCodec, data []byte) ([]byte, kgo.CompressionCodecType) {
	c, err := kgo.DefaultCompressor(codec)
	if err != nil {
		t.Fatal(err)
	}
	compressed, kind := c.Compress(new(bytes.Buffer), data)
	if len(compressed) == 0 && len(data) > 0 {
		t.Fatal("not compressed")
	}
	return bytes.Clone(compressed), kind
}

func TestDecompress(t *testing.T) {
	for _, codec := range codecs[1:] {
		for name, data := range map[string][]byte{
			"1 byte":     []byte("x"),
			"zeros":      make([]byte, 3_000_000),
			"text":       []byte(strings.Repeat("the quick brown fox jumps over the lazy dog\n", 3000)),
			"six letter": []byte(strings.Repeat("foobar", 10)),
		} {
			t.Run(codec.name+" "+name, func(t *testing.T) {
				basintest.Check(t, basintest.AllowLeaks()) // slices that were too small
				p := &basinkgo.Pool{Bytes: &basin.BytePool{Name: t.Name(), Adopts: true}}
				compressed, kind := compress(t, codec.CompressionCodec, data)
				for range 3 {
					got, err := kgo.DefaultDecompressor(p).Decompress(compressed, kind)
					if err != nil || !bytes.Equal(got, data) {
						t.Fatalf("%d bytes of %d, %v", len(got), len(data), err)
					}
					p.PutDecompressBytes(got[:cap(got)])
				}
				if s := p.Bytes.Stats(); codec.name != "lz4" && (s.Adopted != 0 || s.Drops.Total()-s.Drops.Checked != 0 || s.Bytes.InUse != 0) {
					t.Errorf("grew: %+v", s)
				}
			})
		}
	}
}

// A garbage fills each slice, up to its capacity, before franz-go gets it, and again when it is put.
type garbage struct{ *basinkgo.Pool }

func (p garbage) GetDecompressBytes(compressed []byte, codec kgo.CompressionCodecType) []byte {
	b := p.Pool.GetDecompressBytes(compressed, codec)
	p.fill(b)
	return b
}

func (p garbage) PutDecompressBytes(b []byte) {
	p.fill(b)
	p.Pool.PutDecompressBytes(b)
}

func (garbage) fill(b []byte) {
	b = b[:cap(b)]
	for i := range b {
		b[i] = 0xA5
	}
}

// TestGarbage: no decoder presumes zeros, and nothing is used after its Recycle.
func TestGarbage(t *testing.T) {
	for _, codec := range codecs[1:] {
		t.Run(codec.name, func(t *testing.T) {
			p := garbage{&basinkgo.Pool{Bytes: &basin.BytePool{Name: t.Name(), Adopts: true}}}
			seeds := cluster(t, codec.CompressionCodec, 500, 1000)
			for range 2 {
				first, last := consume(t, seeds, 500, kgo.WithPools(p))
				if want := strings.Repeat("record 0 ", 1000/9+1)[:1000]; first != want {
					t.Errorf("the first record is %.30q…", first)
				}
				if want := strings.Repeat("record 499 ", 1000/9+1)[:1000]; last != want {
					t.Errorf("the last record is %.30q…", last)
				}
			}
			if p.Bytes.Stats().Gets == 0 {
				t.Error("the pool was not used")
			}
		})
	}
}

// TestGrowth: after a slice had to grow once, the next one is large enough.
func TestGrowth(t *testing.T) {
	p := &basinkgo.Pool{Bytes: &basin.BytePool{Name: t.Name(), Adopts: true}}
	compressed, kind := compress(t, kgo.Lz4Compression(), []byte(strings.Repeat("the quick brown fox jumps over the lazy dog\n", 3000)))
	for range 20 {
		data, err := kgo.DefaultDecompressor(p).Decompress(compressed, kind)
		if err != nil {
			t.Fatal(err)
		}
		p.PutDecompressBytes(data[:cap(data)])
	}
	if s := p.Bytes.Stats(); s.Adopted > 2 || s.Bytes.Idle > 1<<20 {
		t.Errorf("%+v", s)
	}
}

// TestClaims: the size that data claims is accepted only within limits.
func TestClaims(t *testing.T) {
	var p basinkgo.Pool
	huge := []byte{0xff, 0xff, 0xff, 0xff}
	for kind := range kgo.CompressionCodecType(8) {
		for name, data := range map[string][]byte{
			"nothing":       nil,
			"1 byte":        {0xff},
			"huge":          huge,
			"huge varint":   append(bytes.Repeat([]byte{0xff}, 4), 0x0f),
			"xerial":        []byte("\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00"),
			"huge in zstd":  {0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
			"much too long": append(make([]byte, 1000), huge...),
		} {
			b := p.GetDecompressBytes(data, kind)
			if len(b) != 0 || cap(b) > 4*(32<<10*len(data)+4096) {
				t.Errorf("codec %d, %s: %d of %d bytes for %d", kind, name, len(b), cap(b), len(data))
			}
			p.PutDecompressBytes(b)
		}
	}
}

func TestRecords(t *testing.T) {
	var p basinkgo.Pool
	for _, n := range []int{math.MinInt, -1, 0, 1, 10, 1000, 10} {
		r, k := p.GetRecords(n), p.GetKRecords(n)
		if cap(r) < n || cap(k) < n || len(r) != 0 || len(k) != 0 {
			t.Errorf("%d: %d and %d", n, cap(r), cap(k))
		}
		p.PutRecords(r[:cap(r)])
		p.PutKRecords(k[:cap(k)])
	}
	p.PutRecords(nil)
	p.PutKRecords(nil)
	p.PutDecompressBytes(nil)
}

func TestAllocations(t *testing.T) {
	pooltest.SkipUnlessExact(t)
	var p basinkgo.Pool
	for _, codec := range codecs[1:] {
		compressed, kind := compress(t, codec.CompressionCodec, make([]byte, 50_000))
		f := func() {
			p.PutDecompressBytes(p.GetDecompressBytes(compressed, kind))
			p.PutRecords(p.GetRecords(100))
			p.PutKRecords(p.GetKRecords(100))
		}
		f()
		if n := pooltest.Allocs(100, f); n != 0 {
			t.Errorf("%s: %v allocations", codec.name, n)
		}
	}
}

// cluster returns the address of a Kafka server in this process with records of the given
// codec.
func cluster(t testing.TB, codec kgo.CompressionCodec, records, size int) []string {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "topic"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ProducerBatchCompression(codec),
		kgo.ProducerLinger(20*time.Millisecond), kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	produced := make([]*kgo.Record, records)
	for i := range produced {
		value := bytes.Repeat(fmt.Appendf(nil, "record %d ", i), size/9+1)[:size]
		produced[i] = &kgo.Record{Topic: "topic", Value: value}
	}
	if err := client.ProduceSync(t.Context(), produced...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	return c.ListenAddrs()
}

// consume reads all records, and returns the first and the last.
func consume(t testing.TB, seeds []string, records int, options ...kgo.Opt) (first, last string) {
	client, err := kgo.NewClient(append(options, kgo.SeedBrokers(seeds...), kgo.ConsumeTopics("topic"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(50*time.Millisecond))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for n := 0; n < records; {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if n == 0 {
				first = string(r.Value)
			}
			if n++; n == records {
				last = string(r.Value)
			}
			r.Recycle()
		})
	}
	return first, last
}

func TestConsume(t *testing.T) {
	const records, size = 500, 1000
	for _, codec := range codecs {
		t.Run(codec.name, func(t *testing.T) {
			basintest.Check(t, basintest.AllowLeaks())
			p := &basinkgo.Pool{Bytes: &basin.BytePool{Name: t.Name(), Adopts: true}}
			seeds := cluster(t, codec.CompressionCodec, records, size)
			for range 2 {
				first, last := consume(t, seeds, records, kgo.WithPools(p))
				if !strings.HasPrefix(first, "record 0 record 0 ") || !strings.HasPrefix(last, "record 499 record 499 ") {
					t.Errorf("%.30q, %.30q", first, last)
				}
			}
			if s := p.Bytes.Stats(); (s.Gets == 0) != (codec.name == "none") || s.Drops.Total()-s.Drops.Checked != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func BenchmarkConsume(b *testing.B) {
	const records, size = 5000, 1000
	for _, codec := range codecs[1:] {
		b.Run(codec.name, func(b *testing.B) {
			seeds := cluster(b, codec.CompressionCodec, records, size)
			pool := new(basinkgo.Pool)
			pooltest.Compare(b, 2,
				func(n int) {
					for range n {
						consume(b, seeds, records)
					}
				},
				func(n int) {
					for range n {
						consume(b, seeds, records, kgo.WithPools(pool))
					}
				})
		})
	}
}

func BenchmarkDecompress(b *testing.B) {
	for _, codec := range codecs[1:] {
		b.Run(codec.name, func(b *testing.B) {
			compressed, kind := compress(b, codec.CompressionCodec, []byte(strings.Repeat("the quick brown fox jumps over the lazy dog\n", 3000)))
			var p basinkgo.Pool
			theirs, ours := kgo.DefaultDecompressor(), kgo.DefaultDecompressor(&p)
			pooltest.Compare(b, 200,
				func(n int) {
					for range n {
						if _, err := theirs.Decompress(compressed, kind); err != nil {
							b.Fatal(err)
						}
					}
				},
				func(n int) {
					for range n {
						data, err := ours.Decompress(compressed, kind)
						if err != nil {
							b.Fatal(err)
						}
						clear(data[:cap(data)]) // as the client does before Put
						p.PutDecompressBytes(data)
					}
				})
		})
	}
}
