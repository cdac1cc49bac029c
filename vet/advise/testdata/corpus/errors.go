package corpus

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/csv"
	"encoding/json"
	"hash"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"log"
	"slices"
	"strings"
)

// SliceCompressed returns its Buffer, but not its Writer, which cannot fail.
func SliceCompressed(data []byte) []byte {
	var buf bytes.Buffer
	cmp, _ := zlib.NewWriterLevel(&buf, zlib.BestSpeed) // want pool it by compress/zlib.NewWriterLevel; patch; 4096
	cmp.Write(data)
	cmp.Close()
	return buf.Bytes()
}

func BlockCompressed(block []byte) ([]byte, error) {
	switch {
	case len(block) > 0:
		bb := bytes.NewBuffer(make([]byte, 0, len(block)))

		fw, _ := flate.NewWriter(bb, flate.DefaultCompression) // want pool it by compress/flate.NewWriter; patch; 4096
		if _, err := fw.Write(block); err != nil {
			return nil, err
		}
		if err := fw.Close(); err != nil {
			return nil, err
		}
		block = bb.Bytes()
	}
	return block, nil
}

// CheckedLater uses its error, which is nil.
func CheckedLater(w io.Writer, in []byte) error {
	z, err := gzip.NewWriterLevel(w, 5) // want pool it by compress/gzip.NewWriterLevel; patch; 4096
	if err == nil {
		_, err = z.Write(in)
	}
	if err != nil {
		return err
	}
	return z.Close()
}

func CheckedByAnother(w io.Writer, in []byte) (n int, err error) {
	var z *zlib.Writer
	z, err = zlib.NewWriterLevel(w, 5) // want pool it by compress/zlib.NewWriterLevel; patch; 4096
	switch err {
	case nil:
		n, err = z.Write(in)
		z.Close()
	}
	return n, err
}

func Fatal(w io.Writer, in []byte) {
	z, err := gzip.NewWriterLevel(w, 5) // want pool it by compress/gzip.NewWriterLevel; patch; 4096
	if err != nil {
		log.Fatalf("gzip: %v", err)
	}
	z.Write(in)
	z.Close()
}

// Unchecked would panic where a Reader of a pool has the data of before.
func Unchecked(w io.Writer, r io.Reader) {
	z, _ := gzip.NewReader(r) // want pool it by compress/gzip.NewReader; no patch; 4096
	io.Copy(w, z)
}

func UncheckedReadAll(w io.Writer, r io.Reader) {
	b, _ := io.ReadAll(r) // want pool it by io.ReadAll; no patch; 4096
	w.Write(b)
}

// Either has one Writer or the other in one variable.
func Either(w io.Writer, in []byte, zipped bool) error {
	var buf bytes.Buffer
	var dst io.Writer
	switch {
	case zipped:
		dst = zlib.NewWriter(&buf) // want pool it by compress/zlib.NewWriter; patch; 4096
	default:
		dst = w
	}
	if _, err := dst.Write(in); err != nil {
		return err
	}
	if zipped {
		if err := dst.(io.Closer).Close(); err != nil {
			return err
		}
		_, err := buf.WriteTo(w)
		return err
	}
	return nil
}

func SumEither(in []byte, long bool) byte {
	var h hash.Hash = crc32.NewIEEE()
	if long {
		h = sha512.New() // want pool it by crypto/sha512.New; patch; 256
	}
	h.Write(in)
	return h.Sum(nil)[0]
}

func EitherReturned(w io.Writer, zipped bool) io.Writer {
	dst := w
	if zipped {
		dst = zlib.NewWriter(w) // want needs an owner by compress/zlib.NewWriter; no patch; 4096
	}
	return dst
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// ClosedBefore closes after a Put would come.
func ClosedBefore(w io.Writer, in []byte, zipped bool) {
	var dst io.WriteCloser = nopCloser{w}
	defer func() { dst.Close() }()
	if zipped {
		dst = gzip.NewWriter(w) // want needs an owner by compress/gzip.NewWriter; no patch; 4096
	}
	dst.Write(in)
}

type keptWriter struct{ compressor io.Writer }

func WriteKept(k *keptWriter, p []byte) (int, error) {
	return k.compressor.Write(p) // want needs an owner by compress/gzip.(*Writer).Write, compress/flate.NewWriter; no patch; 4096
}

func CopyKept(k *keptWriter, r io.Reader) (int64, error) {
	return io.Copy(k.compressor, r) // want needs an owner by io.Copy, io.copyBuffer, compress/gzip.(*Writer).Write; no patch; 4096
}

func Picture(w io.Writer, m image.Image) error {
	return png.Encode(w, m) // want pool it by image/png.Encode, image/png.(*Encoder).Encode, compress/zlib.NewWriterLevel; patch; 4096
}

func CountRows(r io.Reader) (n int, err error) {
	c := csv.NewReader(r) // want pool it by encoding/csv.NewReader, bufio.NewReader, bufio.NewReaderSize; patch; 4096
	for {
		if _, err := c.Read(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
	}
}

func RowReader(r io.Reader) *csv.Reader {
	return csv.NewReader(r) // want needs an owner by encoding/csv.NewReader, bufio.NewReader, bufio.NewReaderSize; no patch; 4096
}

var kept []uint64

func GrownByCall(n int) {
	kept = slices.Grow(kept, n) // want needs an owner by slices.Grow; no patch; 4096
}

func Words(text string) int {
	return len(strings.Fields(text)) // want do not pool by strings.Fields; no patch; 4096
}

// ZippedRows has its gzip.Writer grow behind another.
func ZippedRows(w io.Writer, rows [][]string) error {
	zw := gzip.NewWriter(w)
	c := csv.NewWriter(zw)
	if err := c.WriteAll(rows); err != nil { // want pool it by encoding/csv.(*Writer).WriteAll, bufio.(*Writer).Flush, compress/gzip.(*Writer).Write; patch; 4096
		return err
	}
	return zw.Close()
}

func RowsTo(w io.Writer, rows [][]string) error {
	return csv.NewWriter(w).WriteAll(rows) // want needs an owner by encoding/csv.(*Writer).WriteAll, bufio.(*Writer).Flush, compress/gzip.(*Writer).Write; no patch; 4096
}

func Converted(w io.Writer, text string) error {
	b := []byte(text) // want pool it; patch; 4096
	for i := range b {
		b[i] ^= 1
	}
	_, err := w.Write(b)
	return err
}

func ConvertedResult(w io.Writer, text string) {
	w.Write([]byte(strings.ToUpper(text))) // want pool it; no patch; 4096
}

func ConvertedReturned(text string) []byte {
	b := []byte(text) // want needs an owner; no patch; 4096
	return b[1:]
}

func Keyed(in, key []byte) byte {
	h := hmac.New(sha512.New, key) // want do not pool by crypto/hmac.New; no patch; 512
	h.Write(in)
	return h.Sum(nil)[0]
}

func BufferBehind(k *keptWriter, p []byte) {
	k.compressor.Write(p) // want needs an owner by bytes.(*Buffer).Write; no patch; 4096
}

func DecodedNumber(r io.Reader) (v int, err error) {
	d := json.NewDecoder(r) // want do not pool by encoding/json.NewDecoder; no patch; 4096
	return v, d.Decode(&v)
}

// ResultBoxed has its result become an interface's value.
func ResultBoxed(b []byte) (any, error) {
	return b, nil // want not judged; no patch; 24
}
