package corpus

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha512"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
)

func Numbered(w io.Writer, parts []int) error {
	b := make([]byte, 0, 4*len(parts)) // want pool it; patch; 4096
	for _, p := range parts {
		b = strconv.AppendInt(b, int64(p), 10)
	}
	_, err := w.Write(b)
	return err
}

func ReadAndAppended(w io.Writer, r io.Reader) error {
	b, err := io.ReadAll(r) // want pool it by io.ReadAll; patch; 4096
	if err != nil {
		return err
	}
	b = append(b, '\n')
	_, err = w.Write(b)
	return err
}

func ZippedFast(w io.Writer, r io.Reader) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // want pool it by compress/gzip.NewWriterLevel; patch; 4096
	if err != nil {
		return fmt.Errorf("gzip: %w", err)
	}
	_, err = io.Copy(z, r)
	return errors.Join(err, z.Close())
}

// ZippedAgain has an error of before.
func ZippedAgain(w io.Writer, in []byte) (err error) {
	if _, err = w.Write([]byte("head")); err != nil {
		return err
	}
	z, err := zlib.NewWriterLevel(w, 3) // want pool it by compress/zlib.NewWriterLevel; patch; 4096
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	_, err = z.Write(in)
	return err
}

// ZippedShadow shadows its argument, which a Reset would not see.
func ZippedShadow(w io.Writer, in []byte) error {
	if len(in) > 0 {
		w := gzip.NewWriter(w) // want pool it by compress/gzip.NewWriter; no patch; 4096
		w.Write(in)
		return w.Close()
	}
	return nil
}

func ZippedLevel(w io.Writer, in []byte, level int) error {
	z, err := gzip.NewWriterLevel(w, level) // want pool it by compress/gzip.NewWriterLevel; no patch; 4096
	if err != nil {
		return err
	}
	z.Write(in)
	return z.Close()
}

func Deflated(w io.Writer, in []byte) error {
	z, err := flate.NewWriter(w, flate.BestCompression) // want pool it by compress/flate.NewWriter; patch; 4096
	if err != nil {
		return err
	}
	if _, err := z.Write(in); err != nil {
		return err
	}
	return z.Close()
}

func Inflated(r io.Reader) (string, error) {
	z := flate.NewReader(r) // want pool it by compress/flate.NewReader; patch; 4096
	defer z.Close()
	b, err := io.ReadAll(z)
	return string(b), err
}

func Unzipped(w io.Writer, r io.Reader) (n int64, err error) {
	z, err := gzip.NewReader(r) // want pool it by compress/gzip.NewReader; patch; 4096
	if err != nil {
		return 0, fmt.Errorf("gunzip: %w", err)
	}
	defer z.Close()
	return io.Copy(w, z)
}

func UnzippedLater(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r) // want needs an owner by compress/gzip.NewReader; no patch; 4096
	if err != nil {
		return nil, err
	}
	return z, nil
}

func Summed(in []byte) (string, error) {
	h := sha512.New() // want pool it by crypto/sha512.New; patch; 256
	h.Write(in)
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

func Lines(r io.Reader) (n, longest int, err error) {
	s := bufio.NewScanner(r)
	for s.Scan() { // want pool it by bufio.(*Scanner).Scan; patch; 16384
		n++
		longest = max(longest, len(s.Bytes()))
	}
	return n, longest, s.Err()
}

func FirstLine(r io.Reader) []byte {
	s := bufio.NewScanner(r)
	s.Scan() // want needs an owner by bufio.(*Scanner).Scan; no patch; 4096
	return s.Bytes()
}

func CopiedInLoop(w io.Writer, all []io.Reader) error {
	for _, r := range all {
		if _, err := io.Copy(w, r); err != nil { // want pool it by io.Copy, io.copyBuffer; patch; 32768
			return err
		}
	}
	return nil
}

func Answer(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v) // want pool it by encoding/json.Marshal; patch; 4096
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	w.Write(b)
}

func Rows(w io.Writer, rows [][]string) error {
	var b bytes.Buffer
	c := csv.NewWriter(&b) // want pool it by encoding/csv.NewWriter, bufio.NewWriter, bufio.NewWriterSize; patch; 4096
	c.WriteAll(rows)
	_, err := b.WriteTo(w)
	return err
}

func proxyTo(rewrite func(*httputil.ProxyRequest)) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{Rewrite: rewrite}
}

// HelpedAsWriter has its Buffer grow in a helper, which takes any writer.
func HelpedAsWriter(w io.Writer, parts []string) error {
	var b bytes.Buffer
	for _, p := range parts {
		if err := helpedAsWriter(&b, p); err != nil {
			return err
		}
	}
	_, err := b.WriteTo(w)
	return err
}

func helpedAsWriter(w io.Writer, p string) error {
	_, err := io.WriteString(w, p) // want pool it by io.WriteString, bytes.(*Buffer).WriteString; patch; 4096
	return err
}

// Helped passes a bytes.Buffer, which must be a real one.
func Helped(w io.Writer, parts []string) error {
	var b bytes.Buffer
	for _, p := range parts {
		helped(&b, p)
	}
	_, err := b.WriteTo(w)
	return err
}

func helped(b *bytes.Buffer, p string) {
	b.WriteString(p) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
}
