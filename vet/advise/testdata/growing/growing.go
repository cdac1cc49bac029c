// Package corpus has memory that grows in a function, and dies there or is returned.
package corpus

import (
	"bufio"
	"bytes"
	"crypto/cipher"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"sort"
	"strconv"
	"strings"
)

// Sum begins with an array of its own.
func Sum(tag byte, p []byte) uint32 {
	b := make([]byte, 15, 16)
	b = append(b, tag)
	b = append(b, p...) // want pool it; patch; 4096
	return crc32.ChecksumIEEE(b)
}

func Joined(parts []string) uint32 {
	var b []byte
	for i := 0; i < len(parts); i++ {
		b = append(b, parts[i]...) // want pool it; patch; 4096
		b = append(b, ',')
	}
	return crc32.ChecksumIEEE(b[:len(b)-1])
}

func Trimmed(p []byte) (sum byte) {
	b := append([]byte(nil), p...) // want pool it; patch; 4096
	tail := b[len(b)-1:]
	sum = tail[0]
	b = append(b, p...)
	b = b[:len(b)-1]
	for _, c := range b {
		sum += c
	}
	b = b[:0]
	return sum + byte(len(b))
}

// Stale reads from an array after an append that may outgrow it.
func Stale(p []byte) byte {
	b := append([]byte(nil), p...) // want pool it; no patch; 4096
	head := b[:1]
	b = append(b, p...)
	b[0]++
	return head[0] + b[0]
}

// StaleInLoop reads from the array of the round before.
func StaleInLoop(parts []string) (sum byte) {
	var b, last []byte
	for i := 0; i < len(parts); i++ {
		if last != nil {
			sum += last[0]
		}
		b = append(b, parts[i]...) // want pool it; no patch; 4096
		last = b[len(b)-1:]
	}
	return sum
}

func TwoVariables(p []byte) int {
	var b []byte
	b = append(b, p...) // want pool it; no patch; 4096
	c := append(b, p...)
	return len(b) + len(c)
}

func Shifted(p []byte) int {
	var b []byte
	b = append(b, p...) // want pool it; no patch; 4096
	b = b[1:]
	return len(b)
}

func Beyond(p []byte) byte {
	var b []byte
	b = append(b, p...) // want pool it; no patch; 4096
	b = b[:cap(b)]
	return b[len(b)-1]
}

func Message(id int, names []string) []byte {
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "id=%d ", id) // want pool it by fmt.Fprintf, bytes.(*Buffer).Write; patch; 1024
	for _, n := range names {
		buf.WriteString(n) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
	}
	return buf.Bytes()
}

func MessageOrError(names []string) ([]byte, error) {
	var b []byte
	if len(names) == 0 {
		return b, io.EOF
	}
	b = append(b, '[') // want pool it; patch; 1024
	for i := 0; i < len(names); i++ {
		b = append(b, names[i]...) // want pool it; patch; 4096
	}
	return b, nil
}

// Filled may be empty and not nil.
func Filled(r io.Reader, s string) []byte {
	var buf bytes.Buffer
	buf.WriteString(s) // want pool it by bytes.(*Buffer).WriteString; patch; 1024
	buf.ReadFrom(r)    // want pool it by bytes.(*Buffer).ReadFrom; patch; 4096
	return buf.Bytes()
}

func ReturnedAndKept(names []string) []byte {
	var buf bytes.Buffer
	for _, n := range names {
		buf.WriteByte(' ') // want needs an owner by bytes.(*Buffer).WriteByte; no patch; 1024
		buf.WriteString(n) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
	}
	last = buf.Bytes()
	return buf.Bytes()
}

var last []byte

func Text(names []string) string {
	var sb strings.Builder
	for _, n := range names {
		sb.WriteString(n) // want pool it by strings.(*Builder).WriteString; patch; 4096
		sb.WriteByte(' ') // want pool it by strings.(*Builder).WriteByte; patch; 1024
	}
	fmt.Fprintf(&sb, "%d", len(names))
	return sb.String()
}

type builder struct{ sb *strings.Builder }

func TextKept(names []string) *builder {
	sb := new(strings.Builder)
	for _, n := range names {
		sb.WriteString(n) // want preallocate by strings.(*Builder).WriteString; no patch; 4096
		sb.WriteByte(' ') // want preallocate by strings.(*Builder).WriteByte; no patch; 1024
	}
	return &builder{sb}
}

type tree struct {
	name string
	sub  []*tree
}

func (t *tree) walk(visit func(*tree) bool) {
	if !visit(t) {
		return
	}
	for _, s := range t.sub {
		s.walk(visit)
	}
}

func Visited(w io.Writer, t *tree) error {
	var buf bytes.Buffer
	t.walk(func(t *tree) bool {
		buf.WriteString(t.name) // want pool it by bytes.(*Buffer).WriteString; patch; 4096
		return true
	})
	_, err := buf.WriteTo(w)
	return err
}

var visitors []func(*tree) bool

func (t *tree) later(visit func(*tree) bool) { visitors = append(visitors, visit) }

func VisitedLater(w io.Writer, t *tree) error {
	var buf bytes.Buffer
	t.later(func(t *tree) bool {
		buf.WriteString(t.name) // want needs an owner by bytes.(*Buffer).WriteString; no patch; 4096
		return true
	})
	_, err := buf.WriteTo(w)
	return err
}

func Sorted(w io.Writer, n int) error {
	b := make([]byte, n) // want pool it; patch; 4096
	for i := range b {
		b[i] = byte(i * 7)
	}
	sort.Slice(b, func(i, j int) bool { return b[i] < b[j] })
	_, err := w.Write(b)
	return err
}

func Longest(r io.Reader, n int) (longest int, err error) {
	s := bufio.NewScanner(r)
	buf := make([]byte, 0, n) // want pool it; patch; 4096
	s.Buffer(buf, 1<<20)
	for s.Scan() {
		longest = max(longest, len(s.Bytes()))
	}
	return longest, s.Err()
}

func LastLine(r io.Reader, n int) (line []byte) {
	s := bufio.NewScanner(r)
	buf := make([]byte, 0, n) // want needs an owner; no patch; 4096
	s.Buffer(buf, 1<<20)
	for s.Scan() {
		line = s.Bytes()
	}
	return line
}

func Sealed(w io.Writer, a cipher.AEAD, nonce, p []byte) error {
	out := make([]byte, 0, len(p)+a.Overhead()) // want pool it; patch; 4096
	out = a.Seal(out, nonce, p, nil)
	_, err := w.Write(out)
	return err
}

func Encrypted(w io.Writer, m cipher.BlockMode, p []byte) error {
	out := make([]byte, len(p)) // want pool it; patch; 4096
	m.CryptBlocks(out, p)
	_, err := w.Write(out)
	return err
}

func SealedForCaller(a cipher.AEAD, nonce, p []byte, n int) []byte {
	out := make([]byte, 0, n) // want needs an owner; no patch; 4096
	return a.Seal(out, nonce, p, nil)
}

func Slurped(w io.Writer, r io.Reader) error {
	var buf bytes.Buffer
	if _, err := io.Copy(&buf, r); err != nil { // want pool it by io.Copy, io.copyBuffer, bytes.(*Buffer).ReadFrom; patch; 4096
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// read returns memory to functions that use it alone.
func read(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // want pool it; patch; 4096
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return b[:n-1], nil
}

func Checked(r io.Reader, n int) (uint32, error) {
	b, err := read(r, n)
	if err != nil {
		return 0, err
	}
	return crc32.ChecksumIEEE(b), nil
}

func Longer(r io.Reader, n int) (uint32, error) {
	b, err := read(r, n)
	if err != nil {
		return 0, err
	}
	b = append(b, '.')
	return crc32.ChecksumIEEE(b), nil
}

// quoted grows what its only caller can put.
func quoted(p []byte) []byte {
	b := make([]byte, 0, len(p)+2) // want pool it; patch; 4096
	b = append(b, '"')
	b = append(b, p...)
	return append(b, '"')
}

func Quoted(w io.Writer, p []byte) error {
	q := quoted(p)
	_, err := w.Write(q)
	return err
}

// shared has a caller that keeps its memory.
func shared(n int) []byte {
	b := make([]byte, n) // want pool it; no patch; 4096
	b[0] = 1
	return b
}

func SharedUse(n int) int { b := shared(n); return len(b) }

func SharedKept(n int) { last = shared(n) }

// asValue is used as a value, so that some callers are not known.
func asValue(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 1
	return b
}

var makes = asValue

func AsValue(n int) int { b := asValue(n); return len(b) }

type maker interface{ bytes(n int) []byte }

type fixed struct{}

func (f fixed) bytes(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 1
	return b
}

func ByInterface(m maker, n int) int { b := m.bytes(n); return len(b) }

func ByMethod(f fixed, n int) int { b := f.bytes(n); return len(b) }

// Public may be called by others.
func Public(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 1
	return b
}

func PublicUse(n int) int { b := Public(n); return len(b) }

// shifted returns a part that does not begin with the array.
func shifted(n int) []byte {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 1
	return b[1:]
}

func Shifting(n int) int { b := shifted(n); return len(b) }

// either returns memory of its caller, too.
func either(p []byte, n int) []byte {
	if n == 0 {
		return p
	}
	b := make([]byte, n) // want needs an owner; no patch; 4096
	b[0] = 1
	return b
}

func Either(p []byte, n int) int { b := either(p, n); return len(b) }

// looped has a caller that cannot defer.
func looped(n int) []byte {
	b := make([]byte, n) // want pool it; patch; 4096
	b[0] = 1
	return b
}

func Looped(n int) (all int) {
	for i := range n {
		b := looped(i + 1)
		all += len(b)
	}
	return all
}

func Lifted(w io.Writer, s string) error {
	if _, err := w.Write([]byte(s)); err != nil { // want pool it; patch; 4096
		return err
	}
	return nil
}

func LiftedMake(w io.Writer, p []byte) error {
	_, err := w.Write(append(make([]byte, 0, len(p)+1), p...)) // want pool it; patch; 4096
	return err
}

// NotLifted evaluates its argument after a call that may change it, or not at all.
func NotLifted(w io.Writer, s string, next func() bool) bool {
	return next() && send(w, []byte(s)) // want pool it; no patch; 4096
}

func send(w io.Writer, p []byte) bool {
	_, err := w.Write(p)
	return err == nil
}

func Changed(w io.Writer, s string) bool {
	next := func() bool { s = "changed"; return true }
	return next() == send(w, []byte(s)) // want pool it; no patch; 4096
}

func Rounds(w io.Writer, sizes []int) (err error) {
	for _, n := range sizes {
		b := make([]byte, n) // want reuse a variable; patch; 4096
		b[0]++
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

func Matrix(w io.Writer, rows int) (sum int) {
	for i := 1; i < rows; i++ {
		for range 2 {
			row := make([]int, 0, 2*i+600) // want reuse a variable; patch; 4096
			for j := range i {
				row = append(row, j*i)
			}
			sum += len(row) + cap(row)
			fmt.Fprintln(w, row)
		}
	}
	return sum
}

// Carried needs the array of the round before.
func Carried(w io.Writer, sizes []int) {
	var last []byte
	for _, n := range sizes {
		b := make([]byte, n) // want do not pool; no patch; 4096
		w.Write(last)
		last = b
	}
}

func Labeled(w io.Writer, sizes []int) {
again:
	for _, n := range sizes {
		b := make([]byte, n) // want reuse a variable; no patch; 4096
		if _, err := w.Write(b); err != nil {
			continue again
		}
	}
}

func BufferRounds(w io.Writer, names []string) error {
	for i, n := range names {
		var buf bytes.Buffer
		fmt.Fprintf(&buf, "%d ", i) // want reuse a variable by fmt.Fprintf, bytes.(*Buffer).Write; patch; 1024
		buf.WriteString(n)          // want reuse a variable by bytes.(*Buffer).WriteString; patch; 4096
		if _, err := buf.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

func Names(w io.Writer, n int) error {
	names := make([]string, n) // want pool it; patch; 4096
	for i := range names {
		names[i] += fmt.Sprint(i)
	}
	_, err := io.WriteString(w, strings.Join(names, " "))
	return err
}

type sealer struct{ aead cipher.AEAD }

func (s *sealer) Length(nonce, p []byte) int {
	out := s.aead.Seal(nil, nonce, p[1:], nil) // want pool it by crypto/internal/fips140/aes/gcm.(*GCM).Seal; patch; 4096
	return len(out)
}

func (s *sealer) Opened(w io.Writer, nonce, p []byte) error {
	out, err := s.aead.Open(nil, nonce, p, nil) // want pool it by crypto/internal/fips140/aes/gcm.(*GCM).Open; patch; 4096
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

func (s *sealer) Sealed(nonce, p []byte) []byte {
	return s.aead.Seal(nil, nonce, p, nil) // want needs an owner by crypto/internal/fips140/aes/gcm.(*GCM).Seal; no patch; 4096
}

// Extended has append make room, and make nothing.
func Extended(b []byte, n int) []byte {
	return append(b, make([]byte, n)...) // want needs an owner; no patch; 4096
}

type token struct {
	name string
	pos  int
}

func Tokens(text string) (longest string) {
	var all []token
	for i := 0; i < len(text); i += 4 {
		if word := strings.TrimSpace(text[i:min(i+4, len(text))]); word != "" {
			all = append(all, token{word, i}) // want pool it; patch; 4096
		}
	}
	for i := range all {
		if t := &all[i]; len(t.name) > len(longest) {
			longest = t.name
		}
	}
	return longest
}

// Nodes has pointers in its array, which may stay in use.
func Nodes(names []string) (last *tree) {
	all := make([]*tree, 0, 8)
	for i := 0; i < len(names); i++ {
		all = append(all, &tree{name: names[i]}) // want pool it; patch; 4096
	}
	for _, t := range all {
		last = t
	}
	return last
}

var kept *token

func TokensKept(n int) {
	var all []token
	for i := 0; i < n; i++ {
		all = append(all, token{pos: i}) // want preallocate; patch; 4096
	}
	kept = &all[0]
}

func Inner(n int) {
	rows := make([][]byte, n) // want pool it; patch; 4096
	rows[0] = nil
	for i := range rows {
		rows[i] = []byte{byte(i)}
	}
	last = rows[n-1]
}

func Elements(n int) {
	b := make([]byte, n) // want needs an owner; no patch; 4096
	keepFirst(b)
}

func keepFirst(parts ...[]byte) { last = parts[0] }

func Digits(w io.Writer, n int) error {
	var b []byte
	for i := range n {
		b = strconv.AppendInt(b, int64(i), 10) // want pool it by strconv.AppendInt; patch; 4096
		b = append(b, ' ')
	}
	_, err := w.Write(b)
	return err
}

func IsNil(names []string) bool {
	var all []string
	for i := 0; i < len(names); i++ {
		all = append(all, names[i]) // want pool it; no patch; 4096
	}
	return all == nil
}

func Sizes(names []string) []int {
	var all []int
	for i := 0; i < len(names); i++ {
		all = append(all, len(names[i])) // want pool it; patch; 4096
		all = append(all, i)             // want pool it; patch; 1024
	}
	return all
}

// Encoded is null if it is nil.
func Encoded(names []string) ([]byte, error) {
	var all []string
	for i := 0; i < len(names); i++ {
		all = append(all, names[i]) // want pool it; no patch; 4096
	}
	return json.Marshal(all)
}

func EncodedList(names []string) ([]byte, error) {
	all := []string{}
	for i := 0; i < len(names); i++ {
		all = append(all, names[i]) // want pool it; patch; 4096
	}
	return json.Marshal(all)
}

func escape(w io.Writer, s string) {
	for _, c := range []byte(s) {
		w.Write([]byte{'%', c}) // want pool it by bytes.(*Buffer).Write; patch; 4096
	}
}

func EscapedTitle(w io.Writer, s string) error {
	var buf bytes.Buffer
	escape(&buf, s)
	buf.WriteByte('.')
	_, err := buf.WriteTo(w)
	return err
}

func EscapedBody(s string) string {
	var buf bytes.Buffer
	escape(&buf, s)
	return buf.String()
}

func EscapedKept(s string) {
	var buf bytes.Buffer
	escape(&buf, s)
	last = buf.Bytes()
}

// CarriedInField needs the array of the round before.
func CarriedInField(w io.Writer, sizes []int) {
	var st struct{ b []byte }
	for _, n := range sizes {
		b := make([]byte, n) // want do not pool; no patch; 4096
		w.Write(st.b)
		st.b = b
	}
}

// indented calls itself.
func indented(w io.Writer, t *tree, line []byte) []byte {
	line = append(line, t.name...)
	w.Write(line)
	for _, s := range t.sub {
		line = indented(w, s, append(line[:0], ' '))
	}
	return line
}

func Indented(w io.Writer, t *tree, n int) {
	line := make([]byte, 0, n) // want pool it; patch; 4096
	indented(w, t, line)
}

// indentedKept keeps the memory in the end.
func indentedKept(t *tree, line []byte, depth int) {
	if depth == 0 {
		last = line
		return
	}
	indentedKept(t, line, depth-1)
}

func IndentedKept(t *tree, n int) {
	line := make([]byte, n) // want needs an owner; no patch; 4096
	indentedKept(t, line, 3)
}

type byName struct {
	title string
	all   []token
}

func (b *byName) Len() int           { return len(b.all) }
func (b *byName) Less(i, j int) bool { return b.all[i].name < b.all[j].name }
func (b *byName) Swap(i, j int)      { b.all[i], b.all[j] = b.all[j], b.all[i] }

func SortedNames(w io.Writer, names []string) {
	all := make([]token, 0, len(names)) // want pool it; patch; 4096
	for i := 0; i < len(names); i++ {
		all = append(all, token{names[i], i})
	}
	sort.Sort(&byName{"names", all})
	for _, t := range all {
		io.WriteString(w, t.name)
	}
}

func SortedGrown(w io.Writer, next func() string) {
	all := make([]token, 0, 2)
	for name := next(); name != ""; name = next() {
		all = append(all, token{name, len(all)}) // want pool it; patch; 400
	}
	sort.Sort(&byName{"names", all})
	for _, t := range all {
		io.WriteString(w, t.name)
	}
}

func SortedBefore(w io.Writer, names []string) {
	var all []token
	for i, name := range names {
		if i%2 == 0 {
			all = append(all, token{name, i})
		}
	}
	b := &byName{"names", all}
	for i, name := range names {
		if i%2 == 1 {
			all = append(all, token{name, i}) // want pool it; no patch; 400
		}
	}
	sort.Sort(b)
	for _, t := range all {
		io.WriteString(w, t.name)
	}
}

type byKept struct{ byName }

var keptTokens []token

func (b *byKept) Len() int { keptTokens = b.all; return len(b.all) }

func SortedKept(names []string, n int) {
	all := make([]token, n) // want needs an owner; no patch; 4096
	for i := range all {
		all[i].name = names[i]
	}
	sort.Sort(&byKept{byName{"names", all}})
}

type kilometers float64

func NamedNumbers(w io.Writer, n int) {
	all := make([]kilometers, n) // want pool it; patch; 4096
	fmt.Fprintln(w, all)
}
