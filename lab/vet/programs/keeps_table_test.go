package programs

// Programs that tools must not change, in parts. NAME and LABEL are other words in each program.

// Statements that do something with a slice b that basin.AppendString has made, and keep nothing of it.
var harmless = []string{
	"fmt.Fprintf(t, \"%.30q\", b)",
	"t.n += len(b)",
	"for i := range b { t.n += int(b[i]) }",
	"for _, c := range b { t.n += int(c) }",
	"if len(b) > 0 { b[0] = 'y' }",
	"if len(b) > 0 { b[len(b)-1]++ }",
	"copy(b, \"copied\")",
	"if len(b) > 10 { copy(b[1:3], b[5:]) }",
	"if string(b) == \"x\" { t.n++ }",
	"switch { case len(b) > 10: t.n++; default: t.n-- }",
	"t.s = string(b[:len(b)/2])",
	"t.kept = append(t.kept, b...)",
	"t.kept = bytes.Clone(b)",
	"b = b[:len(b)/2]",
	"b = b[:0]",
	"b = basin.Append(b, '1', '2', '3')",
	"b = basin.Grow(b, 1000)",
	"b = basin.AppendString(b[:0], \"again\")",
	"for range 10 { b = basin.AppendString(b, \"loop loop loop loop\") }",
	"if len(b) > 3 { b = basin.Append(b, 'i') } else { b = basin.Append(b, 'e') }",
	"switch len(b) % 3 { case 0: b = basin.Append(b, '0'); case 1: b = basin.Append(b, '1', '1'); default: b = b[:1] }",
	"if b == nil { t.n++ }",
	"if cap(b) < len(b) { t.n++ }",
	"{ b := []byte(\"shadow\"); t.kept = b }",
	"func() { b := 1; t.n += b }()",
	"for i := 0; i < len(b) && i < 5; i++ { t.n += i }",
	"t.n += bytes.IndexByte(b, 'x') + bytes.Count(b, []byte(\"x\"))",
	"if !bytes.HasPrefix(b, []byte(\"x\")) { t.n++ }",
	"var sum int; for _, c := range b[:min(len(b), 3)] { sum += int(c) }; t.n += sum",
	"if len(b) > 1<<20 { return }",
	"LABEL: for { b = basin.Append(b, 'l'); break LABEL }",
	"select { default: b = basin.Append(b, 's') }",
}

// Statements after which something else may refer to the slice, or the variable be something else. Each is the
// last of a program.
var escaping = []string{
	"t.keep(b)",
	"t.kept = b",
	"t.kept = b[2:]",
	"(t.kept) = (b)",
	"x := b; t.kept = x",
	"var x = b; t.kept = x",
	"var x, y = b, 1; t.kept, t.n = x, y",
	"t.all = append(t.all, b)",
	"t.all = [][]byte{b}",
	"t.m[\"k\"] = b",
	"t.m = map[string][]byte{\"k\": b}",
	"t.p = &b[0]",
	"t.pb = &b",
	"t.i = b",
	"var i any = b; t.i = i",
	"t.kept = append(b, '!')",
	"t.kept = append(b[:1], '!')",
	"t.kept = append(b, t.own...)",
	"t.look = func() string { return short(b) }",
	"f := func() []byte { return b }; t.kept = f()",
	"defer func() { t.print(short(b)) }()",
	"defer func() { t.kept = b }()",
	"defer t.print(short(b))",
	"defer t.keep(b)",
	"done := make(chan bool); go func() { t.print(len(b)); close(done) }(); <-done",
	"done := make(chan bool); go func(b []byte) { t.keep(b); close(done) }(b); <-done",
	"c := make(chan []byte, 1); c <- b; t.kept = <-c",
	"c := make(chan []byte, 1); select { case c <- b: t.kept = <-c; default: }",
	"b = t.own",
	"b = t.own[:0]",
	"b = t.own; b = append(b, '!')",
	"b = nil",
	"b = b[1:]",
	"b = b[:5:5]",
	"b = b[3:10]",
	"b = append(b, 'z')",
	"b = append(b, strings.Repeat(\"z\", 200)...); t.kept = b",
	"b, t.err = t.two(b)",
	"b = t.id(b); t.kept = b",
	"b = t.id(t.own)",
	"b = bytes.ToUpper(b); t.kept = b",
	"b = bytes.TrimLeft(b, \"x\")",
	"b = []byte(\"other\"); t.kept = b",
	"b = make([]byte, 64, 64); t.kept = b",
	"b = fmt.Appendf(b, \"%0200d\", 1); t.kept = b",
	"b = strconv.AppendInt(b[:0], 1234, 10)",
	"for _, b = range t.many { t.n += len(b) }; t.kept = b",
	"for b = t.own; len(b) > 3; b = b[1:] { t.n++ }",
	"for len(b) > 3 { b = b[1:] }",
	"select { case b = <-t.c: t.kept = b; default: }",
	"if b = t.own; len(b) > 3 { t.n++ }",
	"switch b = t.own; len(b) { case 3: t.n++ }",
	"switch x := any(b).(type) { case []byte: t.kept = x }",
	"t.array = [1][]byte{b}",
	"t.held = struct{ b []byte }{b}",
	"t.held.b = b",
	"h := &t.held; h.b = b",
	"b, t.kept = t.own, b",
	"t.kept, b = b, nil",
	"pb := &b; *pb = t.own",
	"func() { b = t.own }()",
	"set := func(x []byte) { b = x }; set(t.own)",
	"defer func() { b = t.own }()",
	"t.w.Write(b)",
	"var w io.Writer = &t.w; w.Write(b)",
	"t.all = bytes.SplitN(b, []byte(\"xx\"), 2)",
	"t.buf = bytes.NewBuffer(b)",
	"i := 0; goto LABEL; LABEL: if i++; i < 3 { b = basin.Append(b, 'g'); goto LABEL }; t.kept = b",
	"panic(string(b[:3]))",
	"panic(b)",
	"basin.Put(b); b = nil",
	"for range 2 { defer func() { t.n += len(b) }() }",
	"kept := &t.kept; *kept = b[:len(b)]",
	"type s []byte; t.kept = s(b)",
	"a := (*[4]byte)(b); t.kept = a[:]",
	"t.kept = slices.Grow(b, 1)",
	"t.kept = slices.Clip(b)",
	"t.s = unsafe.String(&b[0], 10)",
}

// Functions that are programs, for basin vet -fix.
var wholeFix = []string{
	`func NAME(t *T) { t.kept = NAMEr() }
func NAMEr() (b []byte) {
	b = basin.Get(64)[:0]
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("r", 100))
	return bytes.Clone(b)
}`,
	`func NAME(t *T) { t.kept, t.err = NAMEr() }
func NAMEr() (b []byte, err error) {
	b = basin.Get(64)[:0]
	defer basin.Put(b)
	for range 100 {
		b = basin.Append(b, 'r')
	}
	return append([]byte(nil), b...), io.EOF
}`,
	`func NAME(t *T) { t.kept = NAMEr() }
func NAMEr() []byte {
	b := basin.Get(4096)
	defer basin.Put(b)
	b = basin.AppendString(b, "moved for sure")
	return b
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer NAMErelease(t, b)
	b = basin.AppendString(b, strings.Repeat("r", 100))
	panic("too long")
}
func NAMErelease(t *T, b []byte) {
	if r := recover(); r != nil {
		t.print("recovered:", r)
	}
	basin.Put(b)
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer NAMEnote(t, b)
	b = basin.AppendString(b, strings.Repeat("r", 100))
}
func NAMEnote(t *T, b []byte) {
	t.print(len(b))
	basin.Put(b)
}`,
	`var NAMEs [2]basin.BytePool
func NAME(t *T) {
	i := 0
	b := NAMEs[i].Get(64)
	defer NAMEs[i].Put(b)
	b = NAMEs[i].Append(b, t.own...)
	i++
	i++
}`,
	`type NAMEt struct{ pool *basin.BytePool }
func (s *NAMEt) close(t *T) {
	b := s.pool.Get(64)
	defer s.pool.Put(b)
	b = s.pool.Append(b, t.own...)
	s.pool = nil
}
func NAME(t *T) { (&NAMEt{new(basin.BytePool)}).close(t) }`,
	`var NAMEp = new(basin.BytePool)
func NAME(t *T) {
	NAMEp = new(basin.BytePool)
	b := NAMEp.Get(64)
	defer NAMEp.Put(b)
	b = NAMEp.Append(b, t.own...)
	NAMEp = nil
}`,
	`var NAMEp basin.BytePool
func NAME(t *T) {
	p := &NAMEp
	b := p.Get(64)
	defer p.Put(b)
	b = p.Append(b, t.own...)
	p = nil
}`,
	`type NAMEpools interface{ Get(int) []byte; Put([]byte); Append([]byte, ...byte) []byte }
func NAME(t *T) {
	var p NAMEpools = new(basin.BytePool)
	b := p.Get(64)
	defer p.Put(b)
	b = p.Append(b, t.own...)
	p = nil
}`,
	`var NAMEp = sync.Pool{New: func() any { return make([]byte, 4096) }}
func NAME(t *T) {
	for _, n := range []int{3, 1000} {
		t.print(NAMEread(strings.NewReader(strings.Repeat("x", n)), t.many))
	}
}
func NAMEread(r io.Reader, more [][]byte) int {
	b := NAMEp.Get().([]byte)
	defer NAMEp.Put(b)
	n, _ := r.Read(b)
	b = b[:n]
	for _, s := range more {
		b = append(b, s...)
	}
	return n
}`,
	`var NAMEp = basin.Pool[[]byte]{New: func() []byte { return make([]byte, 4096) }}
func NAME(t *T) {
	for range 3 {
		func() {
			b := NAMEp.Get()
			defer NAMEp.Put(b)
			t.print(len(b))
			b = b[:4]
			b = append(b, t.own...)
		}()
	}
}`,
	`func NAME(t *T) {
	for i := range 3 {
		b := basin.Get(64)[:0]
		defer basin.Put(b)
		b = basin.AppendString(b, strings.Repeat("r", 100*i))
		t.n += len(b)
	}
}`,
	`func NAME(t *T) {
	put := basin.Put
	b := basin.Get(64)[:0]
	defer put(b)
	b = basin.AppendString(b, strings.Repeat("r", 100))
	put = func(b []byte) { t.print("put", len(b)) }
}`,
	`func NAME(t *T) { t.n = len(NAMEr(basin.Get(64)[:0], t.many...)) }
func NAMEr(b []byte, all ...[]byte) string {
	defer basin.Put(b)
	for _, s := range all {
		b = basin.Append(b, s...)
	}
	return string(b)
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	if len(t.own) > 3 {
		defer basin.Put(b)
	}
	b = basin.AppendString(b, strings.Repeat("r", 100))
	t.s = string(b[:3])
}`,
	`func NAME(t *T) {
	put := values.Put
	b := values.Get(64)
	defer put(b)
	b = values.AppendString(b, strings.Repeat("m", 300))
	put = func(b []byte) { t.print(len(b)) }
}`,
	`var NAMEp basin.BytePool
func NAME(t *T) {
	b := NAMEp.Get(64)
	defer (*basin.BytePool).Put(&NAMEp, b)
	b = NAMEp.AppendString(b, strings.Repeat("m", 300))
	t.n = len(b)
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	x := b
	defer basin.Put(b)
	b = basin.AppendString(b, "b")
	x = basin.AppendString(x, strings.Repeat("x", 300))
	b = basin.AppendString(b, strings.Repeat("b", 300))
	t.kept, t.s = bytes.Clone(x), string(b[:3])
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	each := func(yield func(string) bool) { _ = yield(strings.Repeat("e", 100)) && yield("f") }
	for s := range each {
		b = basin.AppendString(b, s)
	}
	t.s = string(b[:3])
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	var stored []func() []byte
	each := func(yield func(int) bool) { for i := range 3 { if !yield(i) { return } } }
	for i := range each {
		b = basin.AppendString(b, strings.Repeat("e", 100*i))
		stored = append(stored, func() []byte { return b })
	}
	t.kept = stored[0]()
}`,
	`func NAME(t *T) { t.print(NAMEg(t, []byte("generic"))) }
func NAMEg[S ~[]byte](t *T, in S) int {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	for range 30 {
		b = basin.Append(b, in...)
	}
	return len(b)
}`,
	`func NAME(t *T) { t.kept = NAMEg(t, []byte("generic")) }
func NAMEg[S ~[]byte](t *T, in S) (b S) {
	b = S(basin.Get(64)[:0])
	defer basin.Put(b)
	b = basin.Append(b, in...)
	return append(S(nil), b...)
}`,
	`type NAMEt struct{ basin.BytePool }
func (p NAMEt) Put(b []byte) { recover() }
var NAMEp = &NAMEt{}
func NAME(t *T) {
	b := NAMEp.Get(64)
	defer NAMEp.Put(b)
	b = NAMEp.AppendString(b, strings.Repeat("m", 300))
	panic("embedded")
}`,
	`type NAMEt struct{ *basin.BytePool }
var NAMEp = NAMEt{new(basin.BytePool)}
func NAME(t *T) {
	b := NAMEp.Get(64)
	defer NAMEp.Put(b)
	b = NAMEp.AppendString(b, strings.Repeat("m", 300))
	NAMEp.BytePool = nil
	defer func() { NAMEp.BytePool = new(basin.BytePool) }()
}`,
	`type NAMEt = *basin.BytePool
var NAMEp NAMEt = new(basin.BytePool)
func NAME(t *T) {
	b := NAMEp.Get(64)
	defer NAMEp.Put(b)
	b = NAMEp.AppendString(b, strings.Repeat("m", 300))
	defer func(p NAMEt) { NAMEp = p }(NAMEp)
	NAMEp, t.err = nil, io.EOF
}`,
	`var NAMEp = new(basin.BytePool)
func NAME(t *T) {
	b := NAMEp.Get(64)
	defer NAMEp.Put(b)
	b = NAMEp.AppendString(b, strings.Repeat("m", 300))
	p := &NAMEp
	defer func(old *basin.BytePool) { *p = old }(NAMEp)
	*p = nil
}`,
	`var NAMEp = new(basin.BytePool)
func NAME(t *T) {
	b := NAMEp.Get(64)
	defer NAMEp.Put(b)
	b = NAMEp.AppendString(b, strings.Repeat("m", 300))
	for _, NAMEp = range []*basin.BytePool{new(basin.BytePool)} {
	}
}`,
	`var NAMEp = map[string]*basin.BytePool{"a": new(basin.BytePool)}
func NAME(t *T) {
	p := NAMEp["a"]
	b := NAMEp["a"].Get(64)
	defer NAMEp["a"].Put(b)
	b = NAMEp["a"].AppendString(b, strings.Repeat("m", 300))
	delete(NAMEp, "a")
	defer func() { NAMEp["a"] = p }()
}`,
	`func NAME(t *T) {
	values := &basin.BytePool{}
	b := values.Get(64)
	defer values.Put(b)
	b = values.AppendString(b, strings.Repeat("m", 300))
	values = nil
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("t", 100))
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("t", 1000))
	t.n = len(b)
}`,
	`func NAME(t *T) {
	defer func() { t.print("recovered", recover() != nil) }()
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("p", 100))
	t.n = int(b[len(b)])
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	switch n := len(t.own); {
	case n > 3:
		b = basin.AppendString(b, strings.Repeat("f", 100))
		fallthrough
	case n > 30:
		b = basin.AppendString(b, strings.Repeat("f", 1000))
	}
	t.s = string(b[99:103])
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	for i := range 5 {
		if i == 2 {
			continue
		}
		b = basin.AppendString(b, strings.Repeat("c", 50*i))
		if i == 3 {
			break
		}
	}
	t.n = len(b)
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	len := func(x []byte) int { t.kept = x; return 1 }
	b = basin.AppendString(b, strings.Repeat("l", 100))
	t.n = len(b)
}`,
	`func NAME(t *T) {
	type string = []byte
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	b = basin.Append(b, bytes.Repeat([]byte("l"), 100)...)
	t.kept = string(b)
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("l", 100))
	bytes := struct{ Clone func([]byte) []byte }{func(b []byte) []byte { return b }}
	t.kept = bytes.Clone(b)
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("12345", 20))
	b = basin.Append(b, b...)
	b = basin.Append(b[:0], b[3:]...)
	t.s = string(b[:7])
}`,
	`func NAME(t *T) { x := basin.Get(64)[:0]; x = basin.AppendString(x, "mine"); t.n = NAMEr(x); t.kept = bytes.Clone(x[:4]) }
func NAMEr(b []byte) int {
	defer basin.Put(b)
	b = basin.AppendString(b[:0], strings.Repeat("y", 10))
	return len(b)
}`,
	`func NAME(t *T) { t.n = NAMEr(t.own...); t.kept = t.own }
func NAMEr(b ...byte) int {
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("v", 10))
	b = basin.AppendString(b, strings.Repeat("v", 100))
	return len(b)
}`,
	`func NAME(t *T) {
	select {
	case in := <-t.c:
		b := basin.Get(64)[:0]
		defer basin.Put(b)
		b = basin.Append(b, bytes.Repeat(in, 30)...)
		t.n = len(b)
	default:
	}
}`,
	`func NAME(t *T) {
	b, c := basin.Get(64)[:0], basin.Get(64)[:0]
	defer basin.Put(b)
	defer basin.Put(c)
	b = basin.AppendString(b, strings.Repeat("b", 100))
	c = basin.AppendString(c, strings.Repeat("c", 100))
	b, c = c, b
	t.s = string(b[:3])
}`,
	`func NAME(t *T) {
	f := func(in string) (b []byte) {
		b = basin.Get(64)[:0]
		defer basin.Put(b)
		b = basin.AppendString(b, in)
		return []byte(in)
	}
	t.kept = f(strings.Repeat("r", 100))
}`,
	`func NAME(t *T) {
	for i := range 3 {
		func() {
			b := basin.Get(64)[:0]
			defer basin.Put( // the comment stays
				b,
			)
			b = basin.AppendString(b, strings.Repeat("r", 100*i))
			t.n += len(b)
		}()
	}
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	defer func(b *[]byte) { t.kept = *b }(&b)
	b = basin.AppendString(b, strings.Repeat("a", 100))
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	if len(t.own) > 3 {
		defer basin.Put(b)
	} else {
		b = t.own
	}
	b = basin.AppendString(b, strings.Repeat("i", 100))
	if len(b) > 10 {
		t.kept = append(t.kept[:0:0], b[1:]...)
	}
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("a", 100))
	for _, t.held.b = range [][]byte{b} {
	}
}`,
	`func NAME(t *T) {
	b := basin.Get(64)[:0]
	defer basin.Put(b)
	b = basin.AppendString(b, strings.Repeat("a", 100))
	switch x := any(b[:]).(type) {
	case interface{ Len() int }:
	case []byte:
		defer t.keep(x)
	}
}`,
}

// Statements that do something with a *bytes.Buffer b of a pool, and keep nothing of it.
var bufferUses = []string{
	"b.WriteString(\"text\")",
	"b.Write(t.own)",
	"b.WriteByte('b')",
	"b.WriteRune('é')",
	"fmt.Fprintf(b, \"%d\", 12)",
	"io.WriteString(b, \"io\")",
	"if b.Len() > 2 { b.Truncate(2) }",
	"b.Grow(100)",
	"t.print(b.String())",
	"t.n += b.Len()",
	"t.s = string(b.Bytes())",
	"t.kept = append(t.kept, b.Bytes()...)",
	"t.kept = bytes.Clone(b.Bytes())",
	"b.Reset()",
	"json.NewEncoder(b).Encode(map[string]int{\"a\": 1})",
	"b.ReadFrom(strings.NewReader(\"read\"))",
	"b.WriteTo(t)",
	"if b.Len() > 3 { b.WriteString(\"more\") } else { b.WriteString(\"less\") }",
	"for i := range 3 { fmt.Fprint(b, i) }",
	"for b.Len() < 10 { b.WriteByte('.') }",
	"switch b.Len() % 3 { case 0: b.WriteByte('0'); case 1: b.WriteString(\"11\"); default: b.WriteString(\"222\") }",
	"func() { b.WriteByte('c') }()",
	"f := b.WriteString; f(\"method\")",
	"var w io.Writer = b; fmt.Fprint(w, \"writer\")",
	"c := *b; t.n += c.Len()",
	"b.ReadByte()",
	"b.Next(1)",
	"x, err := b.ReadString('x'); t.print(x, err)",
	"json.Indent(b, []byte(`{\"a\":1}`), \"\", \" \")",
	"for _, c := range b.Bytes() { t.n += int(c) }",
	"if b.Cap() > 1<<20 { t.n++ }",
	"func() { defer func() { t.print(recover()) }(); b.Truncate(1 << 20) }()",
	"func() { defer func() { t.print(recover()) }(); b.Grow(-1) }()",
	"t.print(fmt.Sprintf(\"%T\", b))",
	"_, ok := any(b).(fmt.Stringer); t.print(ok)",
	"defer b.WriteString(\"late\")",
	"if s, ok := io.Writer(b).(io.StringWriter); ok { s.WriteString(\"sw\") }",
	"w := bufio.NewWriter(b); w.WriteString(\"buffered\"); w.Flush()",
	"t.print(bytes.Equal(b.Bytes(), t.own))",
	"if err := b.UnreadByte(); err != nil { t.print(err) }",
}

// Statements that are wrong, or nearly: they read a buffer that may be another user's. Each is the last
// of a program. PUT puts the buffer.
var bufferWrongs = []string{
	"b.WriteString(\"after\"); PUT; t.print(b.String())",
	"b.WriteString(\"after\"); PUT; t.print(b.Len())",
	"b.WriteString(\"after\"); PUT; if b.Len() > 0 { t.print(\"x\") }",
	"b.WriteString(\"after\"); PUT; for range b.Len() { t.n++ }",
	"b.WriteString(\"deferred\"); defer func() { t.print(b.String()) }(); PUT",
	"b.WriteString(\"deferred\"); defer func() { t.print(b.Len()) }(); defer func() { PUT }()",
	"b.WriteString(\"kept\"); t.i = b; PUT",
	"b.WriteString(\"kept\"); t.buf = b; PUT",
	"b.WriteString(\"closure\"); t.look = func() string { return b.String() }; PUT",
	"b.WriteString(\"view\"); t.kept = b.Bytes(); PUT",
	"b.WriteString(\"loop\"); for range 3 { t.print(b.Len()); PUT }",
	"b.WriteString(\"alias\"); c := b; PUT; t.print(c.String())",
	"b.WriteString(\"goto\"); i := 0; LABEL: t.print(b.Len()); if i++; i < 2 { PUT; goto LABEL }",
	"b.WriteString(\"switch\"); switch { case b.Len() > 1: PUT; fallthrough; case b.Len() > 100: t.print(b.Len()) }",
	"b.WriteString(\"argument\"); func() { PUT }(); t.print(b.String())",
	"b.WriteString(\"literal\"); put := func() { PUT }; put(); t.print(b.String())",
	"b.WriteString(\"channel\"); c := make(chan *bytes.Buffer, 1); c <- b; PUT; t.print((<-c).String())",
	"b.WriteString(\"field\"); h := struct{ b *bytes.Buffer }{b}; PUT; t.print(h.b.String())",
	"b.WriteString(\"method\"); f := b.String; PUT; t.print(f())",
	"b.WriteString(\"twice\"); PUT; t.n++",
	"b.WriteString(\"select\"); select { default: PUT; t.print(b.Len()) }",
	"b.WriteString(\"else\"); if b.Len() == 0 { PUT } else { t.print(b.Len()); PUT }",
	"b.WriteString(\"break\"); for { PUT; break }; t.print(b.Len())",
	"b.WriteString(\"set\"); PUT; b = new(bytes.Buffer); t.print(b.Len())",
	"b.WriteString(\"dirty\"); PUT",
}

// Functions that are programs, for basin migrate.
var wholeMigrate = []string{
	`var NAMEp = sync.Pool{New: func() any { return new(bytes.Buffer) }}
func NAME(t *T) {
	b := NAMEp.Get().(*bytes.Buffer)
	b.WriteString("added ")
	t.print(b.String())
	NAMEp.Put(b)
}`,
	`var NAMEp = sync.Pool{New: func() any { return bytes.NewBufferString("full") }}
func NAME(t *T) {
	b := NAMEp.Get().(*bytes.Buffer)
	t.print(b.String())
	NAMEp.Put(b)
}`,
	`var NAMEp = sync.Pool{New: func() any { return new(bytes.Buffer) }}
func NAMEget() *bytes.Buffer { return NAMEp.Get().(*bytes.Buffer) }
func NAMEput(b *bytes.Buffer) { b.Reset(); NAMEp.Put(b) }
func NAME(t *T) {
	b := NAMEget()
	defer NAMEput(b)
	b.WriteString("wrapped")
	t.print(b.String())
}`,
	`var NAMEp = sync.Pool{New: func() any { return new(bytes.Buffer) }}
func NAMEput(b *bytes.Buffer) { b.Reset(); NAMEp.Put(b) }
func NAME(t *T) {
	b := NAMEp.Get().(*bytes.Buffer)
	b.WriteString("wrapped")
	NAMEput(b)
	t.print(b.Cap() >= 0, b.Len())
}`,
	`var NAMEp = sync.Pool{New: func() any { return make([]byte, 100) }}
func NAME(t *T) {
	b := NAMEp.Get().([]byte)
	defer NAMEp.Put(b)
	t.print(len(b), b[0])
	b[0] = 'x'
}`,
	`var NAMEp = sync.Pool{New: func() any { return make([]byte, 100) }}
func NAME(t *T) {
	b := NAMEp.Get().([]byte)
	t.print(len(b), cap(b))
	NAMEp.Put(b[:len(b)/2])
}`,
	`var NAMEp = sync.Pool{New: func() any { b := make([]byte, 0, 100); return &b }}
func NAME(t *T) {
	p := NAMEp.Get().(*[]byte)
	b := append((*p)[:0], "pointer"...)
	t.print(string(b))
	*p = b
	NAMEp.Put(p)
}`,
	`var NAMEp = sync.Pool{New: func() any { b := make([]byte, 0, 100); return &b }}
func NAME(t *T) {
	p := NAMEp.Get().(*[]byte)
	*p = append(*p, 'p')
	t.print(string(*p))
	NAMEp.Put(p)
	t.print(len(*p))
}`,
	`var NAMEp sync.Pool
func NAME(t *T) {
	b, ok := NAMEp.Get().([]byte)
	if !ok {
		b = make([]byte, 10)
	}
	t.print(len(b))
	b[0] = 'x'
	NAMEp.Put(b)
}`,
	`var NAMEp sync.Pool
func NAME(t *T) {
	var b *bytes.Buffer
	if v := NAMEp.Get(); v != nil {
		b = v.(*bytes.Buffer)
	} else {
		b = new(bytes.Buffer)
	}
	b.WriteByte('n')
	t.print(b.String())
	NAMEp.Put(b)
}`,
	`type NAMEt struct{ pool sync.Pool }
func NAME(t *T) {
	for range 3 {
		c := &NAMEt{pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
		b := c.pool.Get().(*bytes.Buffer)
		b.Reset()
		b.WriteString("conn")
		t.print(b.String())
		c.pool.Put(b)
	}
}`,
	`type NAMEt struct{ n int; pool sync.Pool }
var NAMEv = NAMEt{pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
func NAME(t *T) {
	b := NAMEv.pool.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString("field")
	t.print(b.String())
	NAMEv.pool.Put(b)
}`,
	`var NAMEcount int
var NAMEp = sync.Pool{New: func() any { NAMEcount++; return new(bytes.Buffer) }}
func NAME(t *T) {
	b := NAMEp.Get().(*bytes.Buffer)
	t.print(NAMEcount)
	NAMEp.Put(b)
}`,
	`type NAMEt[E any] struct{ pool sync.Pool }
func (f *NAMEt[E]) get() []E { s, _ := f.pool.Get().([]E); return s[:0] }
var NAMEv NAMEt[byte]
func NAME(t *T) {
	s := append(NAMEv.get(), 'g')
	t.print(len(s))
	NAMEv.pool.Put(s)
}`,
	`var NAMEp = sync.Pool{New: func() any { return new([]byte) }}
func NAMEput(b *[]byte, skip bool) {
	if skip {
		goto put
	}
	*b = (*b)[:0]
put:
	NAMEp.Put(b)
}
func NAME(t *T) {
	b := NAMEp.Get().(*[]byte)
	NAMEput(b, false)
	NAMEput(nil, true)
	t.print(NAMEp.Get().(*[]byte) == nil)
}`,
	`var NAMEp = sync.Pool{New: func() any { return new(bytes.Buffer) }}
func NAME(t *T) {
	b := NAMEp.Get().(*bytes.Buffer)
	b.Reset()
	t.print(b.Cap())
	b.Grow(1000)
	t.print(b.Cap() >= 1000)
	NAMEp.Put(b)
}`,
	`var NAMEp = sync.Pool{New: func() any { return new(bytes.Buffer) }}
func NAME(t *T) {
	b, c := NAMEp.Get().(*bytes.Buffer), NAMEp.Get().(*bytes.Buffer)
	b.Reset()
	c.Reset()
	b.WriteString("one")
	c.WriteString("two")
	t.print(b.String(), c.String(), b == c)
	NAMEp.Put(b)
	NAMEp.Put(c)
}`,
	`var NAMEp = sync.Pool{New: func() any { return new(bytes.Buffer) }}
type NAMEt struct{ buf *bytes.Buffer }
func (w *NAMEt) close() { w.buf.Reset(); NAMEp.Put(w.buf) }
func NAME(t *T) {
	w := &NAMEt{NAMEp.Get().(*bytes.Buffer)}
	w.buf.WriteString("in a field")
	t.print(w.buf.String())
	w.close()
	t.print(w.buf.Len())
}`,
	`var NAMEp = sync.Pool{New: func() any { return new(bytes.Buffer) }}
func NAMEwith(f func(*bytes.Buffer)) {
	b := NAMEp.Get().(*bytes.Buffer)
	b.Reset()
	f(b)
	NAMEp.Put(b)
}
func NAME(t *T) {
	NAMEwith(func(b *bytes.Buffer) { b.WriteString("callback"); t.print(b.String()); t.buf = b })
}`,
	`var NAMEp = sync.Pool{New: func() any { return make([]byte, 8) }}
func NAMEr() []byte {
	b := NAMEp.Get().([]byte)
	defer NAMEp.Put(b)
	copy(b, "returned")
	return b
}
func NAME(t *T) { t.print(string(NAMEr())) }`,
}
