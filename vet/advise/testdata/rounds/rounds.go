// Package corpus has memory that the rounds of a loop make, and memory of functions that take a bufio.Writer or Reader.
package corpus

import (
	"bufio"
	"encoding/csv"
	"encoding/xml"
	"io"
	"sync"
)

// Small slices of a round are shared, however small they are.
func Small(in [][]byte) (sum int) {
	for _, p := range in {
		digits := make([]byte, 24) // want reuse a variable; patch; 24
		n := copy(digits, p)
		for _, d := range digits[:n] {
			sum += int(d)
		}
		for _, d := range digits[n:] {
			sum += 1000 * int(d)
		}
	}
	return sum
}

// SmallOnce is in no loop.
func SmallOnce(w io.Writer, n int) {
	b := make([]byte, n) // want too small; no patch; 24
	w.Write(b)
}

// SmallKept is used by the next round.
func SmallKept(n int) int {
	var last []byte
	for i := range n {
		b := make([]byte, i) // want too small; no patch; 24
		if len(last) > 0 {
			b[0] = last[0] + 1
		}
		if i > 0 {
			b[0]++
			last = b
		}
	}
	return int(last[0])
}

// Each passes a slice to a function that all callers know.
func Each(in []int) int  { return each(in, func(all []int) int { return all[len(all)/2] }) }
func Other(in []int) int { return each(in, largest) }

func each(in []int, pick func([]int) int) (sum int) {
	for i := range in {
		near := make([]int, 3) // want reuse a variable; patch; 24
		copy(near, in[i:])
		sum += pick(near)
	}
	return sum
}

func largest(all []int) (most int) {
	for _, v := range all {
		most = max(most, v)
	}
	return most
}

// One of the functions keeps the slice.
var keptNear []int

func Keeps(in []int) int {
	return eachKept(in, largest) + eachKept(in, func(all []int) int { keptNear = all; return 0 })
}

func eachKept(in []int, pick func([]int) int) (sum int) {
	for i := range in {
		near := make([]int, 300) // want needs an owner; no patch; 2400
		copy(near, in[i:])
		sum += pick(near)
	}
	return sum
}

// Anybody may call it with another function.
func EachOf(in []int, pick func([]int) int) (sum int) {
	for i := range in {
		near := make([]int, 300) // want needs an owner; no patch; 2400
		copy(near, in[i:])
		sum += pick(near)
	}
	return sum
}

// A variable that has the function is set again.
func Changed(in []int, other func([]int) int) (sum int) {
	pick := largest
	if other != nil {
		pick = other
	}
	for i := range in {
		near := make([]int, 300) // want needs an owner; no patch; 2400
		copy(near, in[i:])
		sum += pick(near)
	}
	return sum
}

// A literal has the function as a free variable.
func Captured(in []int) int {
	return captured2(in, largest) + captured2(in, func([]int) int { return 1 })
}

func captured2(in []int, pick func([]int) int) (sum int) {
	part := func(i int) {
		near := make([]int, 300) // want pool it; patch; 2400
		copy(near, in[i:])
		sum += pick(near)
	}
	for i := range in {
		part(i)
	}
	return sum
}

// Lengths grows once.
func Lengths(in []string) []int {
	var out []int
	for _, s := range in {
		out = append(out, len(s)) // want preallocate; patch; 4096
	}
	return out
}

type list struct{ names []string }

func (l *list) Upper() []string {
	out := []string{}
	for i := range l.names {
		n := l.names[i] + "!"
		out = append(out, n) // want preallocate; patch; 4096
	}
	return out
}

func Counted(n int) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i*i) // want preallocate; patch; 4096
	}
	return out
}

func Ranged(n int) (out []int) {
	for i := range n {
		out = append(out, -i) // want preallocate; patch; 4096
	}
	return out
}

func Values(m map[string]int) []int {
	all := []int(nil)
	for _, v := range m {
		if v < 0 {
			return nil
		}
		all = append(all, v) // want preallocate; patch; 4096
	}
	return all
}

// Read may end early, and its number is the input's.
func Read(r io.ByteReader, n int) ([]byte, error) {
	var all []byte
	for i := 0; i < n; i++ {
		b, err := r.ReadByte()
		if err != nil {
			return nil, err
		}
		all = append(all, b) // want preallocate; no patch; 4096
	}
	return all, nil
}

func Shrinks(n int) []int {
	var out []int
	for i := 0; i < n; i++ {
		n--
		out = append(out, n) // want preallocate; no patch; 4096
	}
	return out
}

func Skips(n int) []int {
	var out []int
	for i := 0; i < n; i++ {
		i += 2
		out = append(out, i) // want preallocate; no patch; 4096
	}
	return out
}

// Filtered appends in few rounds.
func Filtered(in []int) []int {
	var out []int
	for _, v := range in {
		if v > 0 {
			out = append(out, v) // want preallocate; no patch; 4096
		}
	}
	return out
}

func Continued(in []int) []int {
	var out []int
	for _, v := range in {
		if v > 0 {
			continue
		}
		out = append(out, v) // want preallocate; no patch; 4096
	}
	return out
}

// Pointed has pointers to elements of outgrown arrays, which are copies.
func Pointed(in []int) (first *int, out []int) {
	for _, v := range in {
		out = append(out, v) // want preallocate; no patch; 4096
		if first == nil {
			first = &out[0]
		}
	}
	return first, out
}

// Given may share the array of its caller.
func Given(out, in []int) []int {
	for _, v := range in {
		out = append(out, v) // want preallocate; no patch; 4096
	}
	return out
}

// Sized asks for the capacity.
func Sized(in []int) ([]int, int) {
	var out []int
	for _, v := range in {
		out = append(out, v) // want preallocate; no patch; 4096
	}
	return out, cap(out)
}

// Nested goes on with what other rounds have appended.
func Nested(in [][]int) []int {
	var out []int
	for _, list := range in {
		for _, v := range list {
			out = append(out, v) // want needs an owner; no patch; 4096
		}
	}
	return out
}

// Distance makes a matrix.
func Distance(a, b string) int {
	rows, cols := len(a)+1, len(b)+1
	grid := make([][]int, rows)
	for i := range grid {
		grid[i] = make([]int, cols) // want pool it; patch; 2400
	}
	for i := 1; i < rows; i++ {
		grid[i][0] = i
		for j := 1; j < cols; j++ {
			grid[0][j] = j
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			grid[i][j] = min(grid[i-1][j]+1, grid[i][j-1]+1, grid[i-1][j-1]+cost)
		}
	}
	return grid[rows-1][cols-1]
}

// Table has a row of its own, too.
func Table(n int) (sum int) {
	var table = make([][]byte, n+1)
	table[n] = make([]byte, 300)
	for i := 0; i < n; i++ {
		table[i] = make([]byte, n+1) // want pool it; patch; 2400
		table[i][i] = byte(i)
	}
	for _, row := range table {
		for _, v := range row {
			sum += int(v)
		}
	}
	return sum
}

// Literals set and read the elements of a matrix.
func Literals(n int) int {
	grid := make([][]int, n)
	for i := 0; i < len(grid); i++ {
		grid[i] = make([]int, n) // want pool it; patch; 2400
	}
	set := func(x, y, v int) { grid[y][x] = v }
	get := func(x, y int) int { return grid[y][x] }
	for i := range n {
		set(i, n-1-i, i)
	}
	sum := 0
	for y := range n {
		for x := range n {
			sum += (y + 1) * get(x, y)
		}
	}
	return sum
}

// LiteralRow has a literal give a row away.
func LiteralRow(n int) []int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want needs an owner; no patch; 2400
	}
	row := func(y int) []int { return grid[y] }
	return row(0)
}

// LiteralSwap has a literal put other memory into the matrix.
func LiteralSwap(n int) int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want needs an owner; no patch; 2400
	}
	spare := make([]int, n)
	swap := func(y int) { grid[y], spare = spare, grid[y] }
	swap(0)
	return grid[0][0] + spare[0]
}

// LiteralSet has a literal set the variable.
func LiteralSet(n int) int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want needs an owner; no patch; 2400
	}
	shrink := func() { grid = grid[1:] }
	shrink()
	return grid[0][0]
}

// LiteralKept keeps a literal that reads the matrix.
func LiteralKept(n int) func(x, y int) int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want needs an owner; no patch; 2400
	}
	return func(x, y int) int { return grid[y][x] }
}

// LiteralOfRound is a matrix of a round, of which the function would put the last alone.
func LiteralOfRound(n int) (sum int) {
	for range n {
		grid := make([][]int, n)
		for i := range grid {
			grid[i] = make([]int, n) // want do not pool; no patch; 2400
		}
		get := func(x, y int) int { return grid[y][x] }
		sum += get(0, 0)
	}
	return sum
}

// Swapped has a row in two elements for a while.
func Swapped(n int) int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want do not pool; no patch; 2400
		grid[i][0] = i
	}
	for i := range n / 2 {
		grid[i], grid[n-1-i] = grid[n-1-i], grid[i]
	}
	return grid[0][0]
}

// Twice stores a row in two elements.
func Twice(n int) int {
	grid := make([][]int, n+1)
	for i := range n {
		row := make([]int, n) // want do not pool; no patch; 2400
		grid[i], grid[i+1] = row, row
		row[0] = i
	}
	return grid[0][0]
}

// Matrix is returned.
func Matrix(n int) [][]int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want needs an owner; no patch; 2400
	}
	return grid
}

// Row is returned.
func Row(n int) []int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want needs an owner; no patch; 2400
	}
	return grid[n-1]
}

// Extended has rows that grow.
func Extended(n int) int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want pool it; no patch; 2400
	}
	last := append(grid[0], 7)
	return len(last)
}

// Moved is another matrix later.
func Moved(n int) int {
	grid := make([][]int, n)
	for i := range grid {
		grid[i] = make([]int, n) // want pool it; no patch; 2400
	}
	sum := len(grid[0])
	grid = nil
	return sum + len(grid)
}

// Table of lists, in a loop itself.
func Tables(n int) (sum int) {
	for range n {
		grid := make([][]int, n)
		for i := range grid {
			grid[i] = make([]int, n) // want do not pool; no patch; 2400
		}
		sum += len(grid[0])
	}
	return sum
}

// Records reads by a bufio.Reader of a pool.
func Records(r *source) ([][]string, error) {
	c := csv.NewReader(r) // want pool it by encoding/csv.NewReader, bufio.NewReader, bufio.NewReaderSize; patch; 4096
	c.FieldsPerRecord = -1
	return c.ReadAll()
}

func AllRecords(r *source) ([][]string, error) {
	return csv.NewReader(r).ReadAll() // want pool it by encoding/csv.NewReader, bufio.NewReader, bufio.NewReaderSize; patch; 4096
}

type source struct {
	text string
	lock sync.Mutex
}

func (s *source) Read(p []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.text == "" {
		return 0, io.EOF
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}

// Sections are written by a function that all callers know.
func Sections(w *sink, v any) error { return section(w, v) }

func section(w io.Writer, v any) error {
	e := xml.NewEncoder(w) // want pool it by encoding/xml.NewEncoder, bufio.NewWriter, bufio.NewWriterSize; patch; 4096
	return e.Encode(v)
}

type sink struct{ text []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.text = append(s.text, p...)
	return len(p), nil
}

// OfAny may get a bufio.Writer, which the encoder takes as it is. So the patch asks.
func OfAny(w io.Writer, v any) error {
	e := xml.NewEncoder(w) // want pool it by encoding/xml.NewEncoder, bufio.NewWriter, bufio.NewWriterSize; patch; 4096
	return e.Encode(v)
}

func OfWriter(w *bufio.Writer, v any) error { return mixed(w, v) }
func OfSink(w *sink, v any) error           { return mixed(w, v) }

func mixed(w io.Writer, v any) error {
	e := xml.NewEncoder(w) // want pool it by encoding/xml.NewEncoder, bufio.NewWriter, bufio.NewWriterSize; patch; 4096
	return e.Encode(v)
}

// Bytewise reads no more bytes than it needs, as a decoder sees.
type bytewise struct{ source }

func (b *bytewise) ReadByte() (byte, error) {
	var p [1]byte
	_, err := b.Read(p[:])
	return p[0], err
}

func OfBytes(r *bytewise, to *int) error {
	d := xml.NewDecoder(r) // want pool it by encoding/xml.NewDecoder, bufio.NewReader, bufio.NewReaderSize; no patch; 4096
	return d.Decode(to)
}

func OfSource(r *source, to *int) error {
	d := xml.NewDecoder(r) // want pool it by encoding/xml.NewDecoder, bufio.NewReader, bufio.NewReaderSize; patch; 4096
	return d.Decode(to)
}

// Foreign decodes text of other character sets by a function that may keep the reader.
func Foreign(r *source, to any, set func(string, io.Reader) (io.Reader, error)) error {
	d := xml.NewDecoder(r) // want pool it by encoding/xml.NewDecoder, bufio.NewReader, bufio.NewReaderSize; no patch; 4096
	d.CharsetReader = set
	return d.Decode(to)
}
