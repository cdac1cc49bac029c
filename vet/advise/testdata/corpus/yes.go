package corpus

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"os"
)

func Write(w io.Writer, n int) error {
	b := make([]byte, n) // want pool it; patch; 4096
	_, err := w.Write(b)
	return err
}

func WriteAppended(w io.Writer, n int) error {
	b := make([]byte, 0, n) // want pool it; patch; 4096
	b = append(b, "hello"...)
	_, err := w.Write(b)
	return err
}

func ReadFull(r io.Reader, n int) (uint32, error) {
	b := make([]byte, n) // want pool it; patch; 4096
	if _, err := io.ReadFull(r, b); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(b), nil
}

func Sum(r io.Reader, n uint32) (string, error) {
	var b = make([]byte, n) // want pool it; patch; 4096
	if _, err := io.ReadFull(r, b); err != nil {
		return "", err
	}
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:]), nil
}

func Copied(r io.Reader, n int) (string, error) {
	b := make([]byte, n) // want pool it; patch; 4096
	m, err := r.Read(b)
	return string(b[:m]), err
}

func ByCallee(w io.Writer, n int) error {
	b := make([]byte, n) // want pool it; patch; 4096
	fill(b)
	return flush(w, b[:n/2])
}

func fill(b []byte) {
	for i := range b {
		b[i] = 1
	}
}

func flush(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}

func AppendedByCallee(w io.Writer, n int) error {
	b := make([]byte, 0, n) // want pool it; patch; 4096
	return flush(w, appendAll(b, n))
}

func appendAll(dst []byte, n int) []byte {
	for {
		if n == 0 {
			return append(dst, '\n')
		}
		dst = append(dst, byte(n))
		n--
	}
}

func Body(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body) // want pool it by io.ReadAll; patch; 4096
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	w.Write(bytes.ToUpper(b))
}

func Decoded(r io.Reader) (n int, err error) {
	b, err := io.ReadAll(r) // want pool it by io.ReadAll; patch; 4096
	if err != nil {
		return 0, err
	}
	var v struct{ N int }
	err = json.Unmarshal(b, &v)
	return v.N, err
}

func Encoded(w io.Writer, v any) error {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil { // want pool it by encoding/json.(*Encoder).Encode, bytes.(*Buffer).Write; patch; 4096
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func Buffered(w io.Writer, parts []string) error {
	var buf bytes.Buffer
	for _, p := range parts {
		buf.WriteString(p) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func BufferedPointer(parts []string) string {
	buf := new(bytes.Buffer)
	for _, p := range parts {
		buf.WriteString(p) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	}
	return buf.String()
}

func BufferedLiteral(r io.Reader, w io.Writer) error {
	buf := &bytes.Buffer{}
	if _, err := buf.ReadFrom(r); err != nil { // want pool it by bytes.(*Buffer).ReadFrom; patch; 4096
		return err
	}
	_, err := buf.WriteTo(w)
	return err
}

func Printed(w io.Writer, v any) error {
	buf := bytes.NewBuffer(nil)
	fmt.Fprintf(buf, "%v", v) // want pool it by fmt.Fprintf, bytes.(*Buffer).Write; patch; 4096
	_, err := w.Write(buf.Bytes())
	return err
}

func Zipped(w io.Writer, in []byte) error {
	z := gzip.NewWriter(w)
	if _, err := z.Write(in); err != nil { // want pool it by compress/gzip.(*Writer).Write; patch; 4096
		return err
	}
	return z.Close()
}

func ZippedString(w io.Writer, in string) {
	z := gzip.NewWriter(w)
	defer z.Close()
	io.WriteString(z, in) // want pool it by io.WriteString, compress/gzip.(*Writer).Write; patch; 4096
} // want pool it by compress/gzip.(*Writer).Close; patch; 4096

func CopyAll(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, r) // want pool it by io.Copy, io.copyBuffer; patch; 32768
	return err
}

func Proxied(p *httputil.ReverseProxy, w http.ResponseWriter, r *http.Request) {
	p.ServeHTTP(w, r) // want pool it by net/http/httputil.(*ReverseProxy).ServeHTTP, net/http/httputil.(*ReverseProxy).copyResponse; patch; 32768
}

func Hashed(b []byte) []byte {
	h := sha256.New() // want pool it by crypto/sha256.New; patch; 128
	h.Write(b)
	return h.Sum(nil)
}

func BufferedReader(r io.Reader) (string, error) {
	b := bufio.NewReader(r) // want pool it by bufio.NewReader, bufio.NewReaderSize; patch; 4096
	return b.ReadString(10)
}

func InCase(w io.Writer, n, kind int) {
	switch kind {
	case 1:
		b := make([]byte, n) // want pool it; patch; 4096
		w.Write(b)
	}
}

func File(name string, n int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, n) // want pool it; patch; 4096
	_, err = f.Write(b)
	return err
}

func Printed2(n int) {
	b := make([]byte, n) // want pool it; patch; 4096
	fmt.Printf("%x\n", b)
}

func Reader(w io.Writer, n int) error {
	b := make([]byte, n) // want pool it; patch; 4096
	_, err := io.Copy(w, bytes.NewReader(b))
	return err
}

func Short(w io.Writer, n uint16) error {
	b := make([]byte, n) // want pool it; patch; 4096
	_, err := w.Write(b)
	return err
}

func Same(w io.Writer, in []byte) error {
	b := make([]byte, 0, len(in)) // want pool it; patch; 4096
	_, err := w.Write(append(b, in...))
	return err
}

func Counted(w io.Writer, in []byte, count func() int) error {
	out := make([]byte, 0, count()) // want pool it; patch; 4096
	_, err := w.Write(append(out, in...))
	return err
}

func Sizes(w io.Writer, in string, n int) error {
	b := make([]byte, len(in)+n) // want pool it; patch; 4096
	copy(b, in)
	_, err := w.Write(b)
	return err
}

func BufferedValue(w io.Writer, in string) error {
	buf := bytes.Buffer{}
	buf.WriteString(in) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	_, err := buf.WriteTo(w)
	return err
}

func BufferedVariable(w io.Writer, in string) error {
	var buf = bytes.Buffer{}
	buf.WriteString(in) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	_, err := buf.WriteTo(w)
	return err
}

func BufferedSized(w io.Writer, in string) error {
	buf := bytes.NewBuffer(make([]byte, 0, len(in)+1)) // want pool it; patch; 4096
	buf.WriteString(in)
	buf.WriteByte('.') // want pool it by bytes.(*Buffer).WriteByte; patch; 4096
	_, err := w.Write(buf.Bytes())
	return err
}

func LengthAndCapacity(w io.Writer, n, m int) error {
	b := make([]byte, n, m) // want pool it; patch; 4096
	_, err := w.Write(append(b, '.'))
	return err
}

func HeadAndBody(w io.Writer, in string) error {
	b := make([]byte, 4, 4+len(in)) // want pool it; patch; 4096
	binary.BigEndian.PutUint32(b, uint32(len(in)))
	b = append(b, in...)
	_, err := w.Write(b)
	return err
}

func Capacity(w io.Writer, n int) int {
	b := make([]byte, 0, n) // want pool it; patch; 4096
	w.Write(b)
	return cap(b)
}

func Forked(w io.Writer, n int) {
	b := make([]byte, n) // want pool it; patch; 4096
	x := append(b, 1)
	y := append(b, 2)
	w.Write(x)
	w.Write(y)
}

func ByLiteral(w io.Writer, n int) error {
	b := make([]byte, n) // want pool it; patch; 4096
	put := func(i int, c byte) { b[i] = c }
	put(0, 'x')
	flush := func() error {
		_, err := w.Write(b)
		return err
	}
	return flush()
}

func ByLiteralAppended(w io.Writer, n int) {
	b := make([]byte, 0, n) // want pool it; patch; 4096
	add := func(c byte) { b = append(b, c) }
	for i := range n {
		add(byte(i))
	}
	w.Write(b)
}

func ByLiteralBuffer(w io.Writer, in string) error {
	var buf bytes.Buffer
	add := func(s string) { buf.WriteString(s) } // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	add(in)
	add(".")
	_, err := buf.WriteTo(w)
	return err
}

func ByDeferred(w io.Writer, n int) {
	b := make([]byte, n) // want pool it; patch; 4096
	defer func() { w.Write(b) }()
	b[0] = 'x'
}

func ReadFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b := bufio.NewReader(f) // want pool it by bufio.NewReader, bufio.NewReaderSize; patch; 4096
	return b.ReadString(10)
}

func Numbers(in []uint32) (sum uint32) {
	all := make([]uint32, 2*len(in)) // want pool it; patch; 4096
	copy(all, in)
	for _, n := range all {
		sum += n
	}
	return sum
}

func NumbersAppended(in []float64) (n, c int) {
	all := make([]float64, 0, 1+len(in)) // want pool it; patch; 4096
	all = append(all, in...)
	return len(all), cap(all)
}

func Runes(s, t string) (n int) {
	a, b := []rune(s), []rune(t) // want pool it; patch; 4096
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			n++
		}
	}
	return n + len(a)
}

func RunesAlone(s string) rune {
	a := []rune(s) // want pool it; patch; 4096
	for i, j := 0, len(a)-1; i < j; i, j = i+1, j-1 {
		a[i], a[j] = a[j], a[i]
	}
	return a[0]
}

func RunesLonger(s string) (n int) {
	a := []rune(s) // want pool it; patch; 4096
	a = append(a, '.')
	for _, r := range a {
		n += int(r)
	}
	return n
}

func BytesLonger(w io.Writer, s string) error {
	b := []byte(s) // want pool it; patch; 4096
	b = append(b, '\n')
	_, err := w.Write(b)
	return err
}
