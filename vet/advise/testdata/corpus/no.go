// Package corpus has lines that allocate, each with the verdict that it deserves and its
// profile: "want VERDICT; patch or no patch; SIZE; old if its values live long".
package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

var (
	cache  = map[string][]byte{}
	lock   sync.Mutex
	latest []byte
	queue  = make(chan []byte, 8)
	hooks  []func()
	pool   = sync.Pool{New: func() any { b := make([]byte, 4096); return &b }} // want do not pool; no patch; 4096
)

type conn struct {
	buf  []byte
	out  bytes.Buffer
	next *conn
}

func Returned(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return b
}

func ReturnedPart(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return b[:n/2]
}

func ReturnedLater(n int, ok bool) (out []byte) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	if ok {
		out = b
	}
	return
}

func Cached(key string, n int) {
	b := make([]byte, n) // want long-lived; no patch; 4096; old
	lock.Lock()
	cache[key] = b
	lock.Unlock()
}

func CachedShortly(key string, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	cache[key] = b
}

func Global(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	latest = b
}

func Sent(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	queue <- b
}

func SentBySelect(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	select {
	case queue <- b:
	default:
	}
}

func Goroutine(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	go func() { fmt.Println(len(b)) }()
}

func GoroutineArgument(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	go consume(b)
}

func consume(b []byte) { fmt.Println(len(b)) }

func Captured(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	hooks = append(hooks, func() { fmt.Println(len(b)) })
}

func (c *conn) Field(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	c.buf = b
}

func (c *conn) keep(b []byte) { c.buf = b }

func Callee(c *conn, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	c.keep(b)
}

func CalleeOfCallee(c *conn, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	through(c, b)
}

func through(c *conn, b []byte) { c.keep(b[1:]) }

func ResultOfCallee(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return trimmed(b)
}

func trimmed(b []byte) []byte { return bytes.TrimSpace(b) }

type keeper interface{ Keep([]byte) }

func Interface(k keeper, n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	k.Keep(b)
}

func FunctionValue(f func([]byte), n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	f(b)
}

func String(b []byte) string {
	return string(b) // want not judged; no patch; 4096
}

func Concatenated(a, b string) string {
	return a + b // want not judged; no patch; 4096
}

func Formatted(n int) string {
	return fmt.Sprintf("%*d", n, n) // want not judged by fmt.Sprintf; no patch; 4096
}

func Joined(parts []string) string {
	return strings.Join(parts, ",") // want not judged by strings.Join; no patch; 4096
}

func Map(n int) map[string]int {
	return make(map[string]int, n) // want not judged; no patch; 4096
}

func Channel(n int) chan int {
	return make(chan int, n) // want not judged; no patch; 4096
}

func GrowingResult(in [][]byte) (out []byte) {
	for i := 0; i < len(in); i++ {
		out = append(out, in[i]...) // want needs an owner; no patch; 4096
	}
	return out
}

func KnownEnd(in []string) []int {
	var out []int
	for _, s := range in {
		out = append(out, len(s)) // want preallocate; patch; 4096
	}
	return out
}

func ReadAllReturned(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return nil, err
	}
	return b, nil
}

func ReadAllDirect(r io.Reader) ([]byte, error) {
	return io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
}

func ReadAllRaw(r io.Reader) (json.RawMessage, error) {
	b, err := io.ReadAll(r) // want needs an owner by io.ReadAll; no patch; 4096
	if err != nil {
		return nil, err
	}
	return json.RawMessage(b), nil
}

func BufferReturned() []byte {
	var buf bytes.Buffer
	buf.WriteString("x") // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
	return buf.Bytes()
}

func BufferPointer() *bytes.Buffer {
	buf := new(bytes.Buffer)
	buf.WriteString("x") // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
	return buf
}

func (c *conn) BufferField(s string) {
	c.out.WriteString(s) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
}

func BufferOfCaller(buf *bytes.Buffer, s string) {
	buf.WriteString(s) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
}

func Request(url string, n int) (*http.Request, error) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return http.NewRequest("POST", url, bytes.NewReader(b))
}

func Reader2(r io.Reader) *bufio.Reader {
	return bufio.NewReader(r) // want needs an owner by bufio.NewReader, bufio.NewReaderSize; no patch; 4096
}

func Marshaled(v any) ([]byte, error) {
	return json.Marshal(v) // want needs an owner by encoding/json.Marshal; no patch; 4096
}

func Scanner(r io.Reader, n int) *bufio.Scanner {
	s := bufio.NewScanner(r)
	b := make([]byte, n) // want needs an owner; no patch; 4096
	s.Buffer(b, n)
	return s
}

func Struct() *conn {
	return &conn{next: nil} // want needs an owner; no patch; 4096
}

func InStruct(n int) *conn {
	c := &conn{}
	b := make([]byte, n) // want needs an owner; no patch; 4096
	c.buf = b
	return c
}

func InError(n int) error {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return &os.PathError{Op: string(b[:0]), Err: &holder{b}}
}

type holder struct{ b []byte }

func (h *holder) Error() string { return string(h.b) }

func Panics(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	panic(b)
}

func AddressTaken(n int, set func(*[]byte)) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	set(&b)
}

func Timer(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	time.AfterFunc(time.Second, func() { fmt.Println(len(b)) })
}

func Slices(n int) [][]byte {
	var all [][]byte
	b := make([]byte, n) // want needs an owner; no patch; 4096
	return append(all, b)
}

func Small(w io.Writer, n int) error {
	b := make([]byte, n) // want too small; no patch; 48
	_, err := w.Write(b)
	return err
}

var errEmpty = errors.New("empty")

// The memory stays, but a patch would change the behaviour.

func DataWithError(r io.Reader) (int, error) {
	b, err := io.ReadAll(r) // want pool it by io.ReadAll; no patch; 4096
	if err != nil && len(b) == 0 {
		return 0, errEmpty
	}
	return len(b), nil
}

func ErrorIgnored(r io.Reader) int {
	b, _ := io.ReadAll(r) // want pool it by io.ReadAll; no patch; 4096
	return len(b)
}

func CapacityOfInput(r io.Reader) int {
	b, err := io.ReadAll(r) // want pool it by io.ReadAll; no patch; 4096
	if err != nil {
		return 0
	}
	return cap(b)
}

func LargeSize(w io.Writer, n int64) {
	b := make([]byte, n) // want pool it; patch; 4096
	w.Write(b)
}

type named []byte

func Named(w io.Writer, n int) {
	b := make(named, n) // want pool it; patch; 4096
	w.Write(b)
}

func Shadowed(w io.Writer, basin int) {
	b := make([]byte, basin) // want pool it; no patch; 4096
	w.Write(b)
}

func AlwaysOneSize(n int) (sum int) {
	b := make([]byte, n) // want could stay on the stack; no patch; 4096
	for i := range b {
		b[i] = byte(i)
		sum += int(b[i])
	}
	return sum
}

func count() int { calls++; return calls }

var calls int

func TakenName(w io.Writer) error {
	b := make([]byte, count()) // want pool it; patch; 4096
	bSize, err := w.Write(b)
	_ = bSize
	return err
}

func IntoCallers(w io.Writer) error {
	_, err := w.Write([]byte("x")) // want needs an owner by bytes.(*Buffer).Write; no patch; 4096
	return err
}

func DeferredBefore(n int) {
	var b []byte
	defer func() { fmt.Println(len(b)) }()
	b = make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 1
}

func ReturnedByLiteral(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	half := func() []byte { return b[n/2:] }
	latest = half()
}

func KeptByLiteral(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	keep := func() { latest = b }
	keep()
}

func SharedByLiteral(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	start := func() { go func() { fmt.Println(len(b)) }() }
	start()
}

func MovedByLiteral(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	var out []byte
	move := func() { out = b }
	move()
	return out
}

func LiteralPassed(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	use := func() { fmt.Println(len(b)) }
	use()
	hooks = append(hooks, use)
}

func NumbersReturned(n int) []int {
	all := make([]int, n) // want needs an owner; no patch; 4096
	return all[:1]
}
