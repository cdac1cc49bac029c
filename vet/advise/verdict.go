package advise

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// judge gives each site its verdict, and the report its summary. Both sources, the program's and that of other modules, may
// be nil.
func (r *Report) judge(src *source) {
	for _, s := range r.Sites {
		if s.missing = "there is no source"; src == nil {
			continue
		}
		s.pkg = src.packageOf(s)
		s.elsewhere = src.others[s.pkg] != nil
		if src.files[src.names[s]] != nil {
			s.Module = src.moduleOf(s)
		}
		s.found, s.missing = src.find(s)
		s.generated = src.isGenerated(s)
	}
	r.join(src)
	r.left = 1
	for _, s := range r.Sites {
		if src != nil {
			src.findAll(s)
		}
		if src != nil && s.Module == "" { // for another module's line, a copy might save nothing
			src.findCopies(s)
		}
		s.judge(r)
	}
	r.judgeRest()
	for _, s := range r.Sites {
		s.noteRelied()
	}
	r.qualify()
}

// judgeRest judges the sites again that are rare beside a large one: once that one is pooled, they are the rest. A
// compressor that makes 95 % of the bytes would hide a buffer that makes a tenth of the others.
func (r *Report) judgeRest() {
	for _, s := range r.Sites {
		switch s.Verdict {
		case PoolIt, Reuse, Preallocate, Stack, RuntimeFree:
			if !s.keepsBytes() {
				r.left -= s.Share
			}
		}
	}
	for _, s := range r.Sites {
		if s.Verdict == TooRare && !s.isRare(r) {
			s.judge(r)
		}
	}
}

// join makes one site of all places where the same memory grows: a buffer, a compressor, a slice.
func (r *Report) join(src *source) {
	groups := map[ssa.Value][]*Site{}
	r.Sites = slices.DeleteFunc(r.Sites, func(s *Site) bool {
		if s.found == nil {
			return false
		}
		owner := cmp.Or(s.found.joins, s.found.joinsField)
		if owner == nil {
			return false
		}
		groups[owner] = append(groups[owner], s)
		return true
	})
	for _, all := range groups { // the largest comes first
		first := all[0]
		at, t := first.place, first.tally
		for _, s := range all[1:] {
			t = t.plus(s.tally)
		}
		if first.found.kind != kindAppend {
			made := src.position(first.found.instr.Pos())
			if name := src.names[first]; name != made.Filename {
				at.file = made.Filename
			}
			at.line = int64(made.Line)
			if name := src.callerName(first.found.instr.Parent()); name != "" {
				at.function = name
			} else if name := src.literalName(first.found.instr.Parent()); !isOf(at.function, shortFunction(name)) {
				at.function = name
			}
		}
		joined := newSite(at, t, r.heap)
		first.found.wholeShare = float64(first.tally.bytes) / float64(max(t.bytes, 1))
		joined.found, joined.Module, joined.elsewhere, joined.generated = first.found, first.Module, first.elsewhere, first.generated
		if joined.Function == first.Function {
			joined.pkg = first.pkg
		} else {
			joined.Callers = nil // they are those of another function
		}
		for _, s := range all {
			if s.Line == joined.Line && s.File == joined.File {
				joined.Copies = max(joined.Copies, s.Copies)
			} else if at := fmt.Sprintf("%s:%d", base(s.File), s.Line); s.found.begins {
				joined.First = append(joined.First, at)
			} else {
				joined.Lines = append(joined.Lines, at)
			}
		}
		slices.Sort(joined.Lines)
		slices.Sort(joined.First)
		joined.Lines, joined.First = slices.Compact(joined.Lines), slices.Compact(joined.First)
		src.names[joined] = src.position(first.found.instr.Pos()).Filename
		r.Sites = append(r.Sites, joined)
	}
	r.sort()
}

func (s *Site) judge(r *Report) {
	found := s.found
	if found != nil {
		s.kind, s.Kind = found.kind, found.text()
	}
	switch {
	case s.isStarted():
		s.sayOnce(atStart)
	case s.kind == kindString && s.isMadeInside():
		s.Kind = "memory of " + s.Calls
		s.sayMadeInside(hints[s.Calls])
	case s.kind == kindString:
		s.say(NotJudged, "Strings cannot be written to, so nothing can reuse them.%s", found.buildsText())
	case s.kind == kindBuilder && s.judgeBuilder(r):
	case found != nil && found.filledMap != nil && !s.isTest() && !s.isRare(r) && !s.isSlow(r) && !s.isSparse():
		s.judgeFilledMap(found)
	case found != nil && found.other != "" && !found.isMapOfRound():
		s.Kind = found.other
		s.say(NotJudged, "%s", found.otherText())
	case found != nil && found.itself:
		s.Kind = "memory of " + s.Calls
		s.sayMadeInside(found.hint)
	case s.isTest():
		s.say(DoNotPool, "This is test code, which does not run in production.")
	default:
		s.judgeFrequent(r)
	}
	s.Reason += s.otherWay() + s.onlyWritten() + s.savesOfMarshal() + s.keptText() + s.outgrownText() + s.reservesText() + s.lessMapText() + s.overwrittenText() + s.besideText() + s.inGenerator()
}

// sayMadeInside says that a function has no argument for the memory that it makes, or when it needs none.
func (s *Site) sayMadeInside(hint string) {
	given := ", and has no argument for it."
	switch {
	case isPackaged(s.kind) && s.kind != "bufio" && makers[packageOf(s.Calls)] != s.kind:
		s.say(DoNotPool, "A Writer or Reader of package %s makes this memory behind %s, and keeps it. Its maker could take it from a pool, if it does not.", s.kind, s.Calls)
		return
	case fillsTarget[s.Calls] && s.isMostlyOf("encoding/json.(*Decoder).refill"):
		given = ". Most of it is the Decoder's own buffer, for which it has no argument."
	case s.decodesToAny() != nil && isNeverSet(s.decodesToAny()):
		given = ". Its target is an interface that is nil, so there is no memory to decode into."
	case s.decodesToAny() != nil:
		given = ". Its target is an interface: only if a pointer is in it, that one's slices, maps and pointers are used, and those that it makes stay there."
	case packageOf(s.Calls) == "image" && s.isMostlyOf("bufio.NewReaderSize"):
		given = ", unless its reader has a method Peek, as a bufio.Reader has."
	case ofReceiver.MatchString(s.Calls):
		given = ", unless its receiver has enough."
	case fillsTarget[s.Calls]:
		given = ". It uses slices, maps and pointers that its target has already, and those that it makes stay there."
	case s.isMostlyOf("io.copyBuffer") && unqualified(s.Calls) == "ReadFrom":
		given = ". Most of it is the buffer of io.Copy, which it calls unless the reader is a file or a connection."
	case s.isMostlyOf("io.copyBuffer"):
		given = ". Most of it is the buffer of io.Copy, which makes none for a writer with ReadFrom or a reader with WriteTo."
	}
	s.say(DoNotPool, "%s, or a function that it calls, makes this memory%s%s", s.Calls, given, hint)
}

// ofReceiver matches methods that write their result to the memory of their receiver, as far as it has some.
var ofReceiver = regexp.MustCompile(`^math/big\.\(\*(Int|Rat|Float)\)\.(Abs|Add|And|Binomial|Div|DivMod|Exp|GCD|Lsh|Mod|ModInverse|ModSqrt|Mul|MulRange|Neg|Not|Or|Quo|QuoRem|Rand|Rem|Rsh|Scan|Set[A-Za-z0-9]*|Sqrt|Sub|Xor)$`)

// otherWay names another way to have less memory here, or nothing.
func (s *Site) otherWay() string {
	switch kept := s.Verdict == LongLived || s.Verdict == NeedsOwner; {
	case kept && s.isBufio() && s.maySpanConnection():
		return waits
	case kept && s.found != nil && isExact(s.found.instr):
		return grows
	case s.Verdict == NeedsOwner && s.found.closer != "":
		return s.found.closer
	case s.Verdict == NeedsOwner && s.isBufio():
		return s.found.ends
	case s.Verdict == PoolIt || s.Verdict == Reuse || s.Verdict == NeedsOwner:
		return s.found.hintOfScan()
	}
	return ""
}

// isMadeInside reports whether half or more of a function's bytes are no string, though it returns one. Most are of functions
// that it calls: a regexp collects bytes first.
func (s *Site) isMadeInside() bool {
	if s.tally == nil || s.Calls == "" {
		return false
	}
	if makesBytes.MatchString(s.Calls) {
		return true
	}
	inside := int64(0)
	for name, bytes := range s.tally.makers {
		if name != s.Calls && !makesStrings.MatchString(name) {
			inside += bytes
		}
	}
	return 2*inside > s.tally.bytes
}

// judgeFrequent judges a line of the program if it allocates enough.
func (s *Site) judgeFrequent(r *Report) {
	switch {
	case s.isRare(r):
		s.say(TooRare, "This is less than %s of the program's allocations.", percent(rareShare))
	case s.isSlow(r):
		s.say(TooRare, "It allocates %s a second, which no collector notices.", bytesText(s.Bytes))
	case s.isSparse():
		s.say(NotJudged, "Only %s: let the program work longer between the profiles.", plural(s.Samples, "sample"))
	case s.found == nil:
		s.judgeUnseen(s.missing)
	default:
		s.judgeFound(r, s.found)
	}
}

// isRare reports whether s makes so little that nobody would notice: of all bytes, or of those that are left when the
// advice is followed.
func (s *Site) isRare(r *Report) bool {
	return s.Share < rareShare*max(r.left, leastLeft)
}

// isSlow reports whether s makes so little in a second that no collector notices.
func (s *Site) isSlow(r *Report) bool { return r.Seconds > 0 && s.Bytes < rareBytes }

// waits is for a bufio.Reader or Writer that is kept, and may be that of a connection.
const waits = " If it lives as long as a connection, take one of package basinio: it holds no memory while the connection waits."

// isBufio reports whether package bufio makes a Reader or a Writer here, and the program calls it.
func (s *Site) isBufio() bool {
	return s.kind == "bufio" && (strings.HasPrefix(s.Calls, "bufio.NewReader") || strings.HasPrefix(s.Calls, "bufio.NewWriter"))
}

// maySpanConnection reports whether a bufio.Reader or Writer may be that of a connection, and live as long.
func (s *Site) maySpanConnection() bool {
	const short = 1.0 // seconds
	if s.Age != nil && s.Age.Max < short || s.found == nil {
		return false
	}
	call, ok := s.found.instr.(*ssa.Call)
	return ok && len(call.Call.Args) > 0 && mayBeConnection(unwrap(call.Call.Args[0]).Type())
}

// judgeUnseen judges without source.
func (s *Site) judgeUnseen(why string) {
	switch call := s.unseenCall(); {
	case s.isOld():
		s.say(LongLived, "%s.", s.oldText())
	case s.kind == kindLine:
		s.say(NotJudged, "The profile does not say how this line allocates, and %s.", why)
	case s.kind == kindOther:
		s.say(NotJudged, "The profile says only that %s allocates here, and %s.", s.Calls, why)
	case call == "":
		s.say(DoNotPool, "Nothing in basin fits memory that %s makes.", s.Calls)
	case s.pieceSize() < smallSize:
		s.sayTooSmall()
	default:
		s.unseen = true
		s.say(NotJudged, "If nothing keeps the memory, use %s. Only the source shows that: %s.", call, why)
	}
}

// unseenCall is the call of basin that fits memory of a line without source.
func (s *Site) unseenCall() string {
	function := unqualified(s.Calls)
	switch s.kind {
	case "json", "xml":
		if !strings.HasPrefix(function, "Marshal") {
			return "" // an Encoder or a Decoder
		}
	case "bufio":
		if strings.Contains(s.Calls, "Scanner") {
			return callOfScanner
		}
	}
	if reader := readers[s.kind]; reader != "" && (strings.Contains(s.Calls, "Reader") || strings.Contains(s.Calls, "Decoder")) {
		return reader
	}
	return pooledBy[s.kind]
}

func (s *Site) judgeFound(r *Report, a *allocation) {
	f, size := a.fate, s.pieceSize()
	a.largest = s.Sizes[len(s.Sizes)-1].Size
	switch {
	case a.once != "":
		s.sayOnce(a.once)
	case a.other != "":
		s.Kind = a.other
		s.say(Reuse, "It does not leave the loop: make one map %s, and clear(m) in each round. There is no patch for maps.", a.beforeLoop())
	case a.pooled || a.got:
		s.say(DoNotPool, "%s", a.pooledText())
	case a.fills():
		s.say(Preallocate, "%s%s", a.capacityText(), a.laterText())
	case s.isOld():
		s.say(LongLived, "%s; it %s.", s.oldText(), f.text())
	case len(a.emptied) > 0 && (size < smallSize || s.startsOnStack(a)): // or a pool is better
		a.cutOnly = true
		s.say(Reuse, "Nothing has the old elements where its variable gets a new slice: cut it to length 0 there.")
	case s.startsOnStack(a):
		s.say(Stack, "It does not leave %s: if its first slice has a constant capacity, such as that of make(%s, 0, %d), that one could stay on the stack.", s.short(), a.typeText(), a.most())
	case s.sharesArray(a):
		s.sayOneArray(r)
	case f.way == stays && isConstantText(a.instr):
		s.say(Reuse, "It is always the same text: if nothing writes to it, make it once, as a variable of the package.")
	case size < smallSize && !isPackaged(a.kind) && a.kind != kindMap && !a.isMadeInRounds(): // these have small parts beside large ones
		s.sayTooSmall()
	default:
		s.judgeFate(a)
	}
}

// judgeFate judges memory by where it goes.
func (s *Site) judgeFate(a *allocation) {
	switch f := a.fate; {
	case a.encoder != "":
		s.say(DoNotPool, "The memory leaves %s, which %s calls: that copies the result and drops it, so that nobody can put it back.", s.short(), a.encoder)
	case f.way == isUnknown:
		s.say(DoNotPool, "Where the memory goes is not known: it %s.", f.where)
	case s.judgeOwned(a):
	case a.allScratch && len(a.scratch) > 0:
		s.say(NeedsOwner, "%s", a.scratchText())
	case a.kept != "":
		s.sayKept(a)
	case f.way != stays && f.ways&^(1<<isKept|1<<isBroken) == 0 && a.isClosed():
		s.say(NeedsOwner, "The memory %s %s: it %s. %s, which makes it, also closes it: put it back there, after Close, if nothing keeps %s.",
			f.leaves(), s.short(), f.where, s.short(), a.holder())
	case f.way != stays:
		s.say(NeedsOwner, "The memory %s %s: it %s. Its last user would have to %s.%s%s%s", f.leaves(), s.short(), a.whereTo(), a.putBack(), s.whyMade(a), s.largestCaller(), a.scratchText()+a.encodesFor()+a.shareText())
	default:
		s.judgeLocal(a)
	}
}

// judgeOwned judges memory that leaves its function, if another can put it, or a copy can leave. It reports false if there is
// neither.
func (s *Site) judgeOwned(a *allocation) bool {
	call := a.call()
	switch {
	case len(a.keeping) > 0:
		s.say(PoolIt, "%s returns the memory, which most of its callers could put back, and a copy could take its place in %s.", s.short(), keptText(a.keeping))
	case len(a.owners) > 0:
		s.say(PoolIt, "%s returns the memory, but %s, which can put it back.", s.short(), ownersText(a.owners))
	case a.exit != nil:
		s.say(PoolIt, "It grows in %s, which %s: it can grow in memory of a pool, if a copy takes its place there, once of the right size.", s.short(), a.exit.how)
	case len(a.copies) > 0:
		s.say(PoolIt, "It grows in %s, which returns it: it can grow in memory of a pool, if the caller gets a copy, once of the right size.", s.grower(a))
	case len(a.beginnings) > 0:
		if call = pooledBy[kindSlice]; a.kind == kindBuffer {
			call = "a basin.StdBufferPool"
		}
		s.say(PoolIt, "%s", a.scratchText())
	default:
		return false
	}
	s.Call = call
	if why := a.unclear(); why != "" {
		s.Reason += " Clear it before the Put: " + why + "."
	}
	return true
}

// largestCaller names the function that asks for the most memory, of several that get it, or a struct that has it, as a result.
func (s *Site) largestCaller() string {
	shares := map[string]float64{}
	for _, c := range s.Callers {
		shares[c.Name[:strings.LastIndexByte(c.Name, ':')]] += c.Share
	}
	if s.found.fate.ways&(1<<isReturned) == 0 || len(shares) == 0 {
		return ""
	}
	largest := slices.SortedFunc(maps.Keys(shares), func(a, b string) int {
		return cmp.Or(cmp.Compare(shares[b], shares[a]), strings.Compare(a, b))
	})[0]
	name := base(packageOf(largest)) + largest[packageEnd(largest):]
	if packageOf(largest) == packageOf(s.Function) {
		name = shortFunction(largest)
	}
	const done = " done with it when it returns."
	switch isDone := s.found.done[largest]; {
	case len(shares) == 1 && isDone:
		return " All of it is for " + name + ", which is" + done
	case len(shares) == 1:
		return ""
	case shares[largest] > 0.995 && isDone:
		return " Almost all of it is for " + name + ", which is" + done
	case shares[largest] > 0.995:
		return " Almost all of it is for " + name + "."
	case isDone:
		return fmt.Sprintf(" Of its callers, %s has the most: %s, and is"+done, name, percent(shares[largest]))
	}
	return fmt.Sprintf(" Of its callers, %s has the most: %s.", name, percent(shares[largest]))
}

func (s *Site) sayTooSmall() {
	pieces := bytesText(s.pieceSize()) + " each"
	if len(s.Sizes) > 1 {
		pieces = "Half of the bytes or more are in pieces of at most " + bytesText(s.pieceSize())
	}
	s.say(TooSmall, "%s: a pool costs as much as the allocator.", pieces)
}

// startsOnStack reports whether a small slice grows in one function, for which the compiler could have a first array on the stack.
func (s *Site) startsOnStack(a *allocation) bool {
	const small = 1 << 10
	if a.kind != kindAppend || a.grown == nil || a.loop || a.fate.way != stays || a.fate.hidden || a.largest > small || a.most() == 0 {
		return false
	}
	return (s.pieceSize() < smallSize || a.pointers) && !slices.ContainsFunc(a.grown.bases, func(v ssa.Value) bool {
		list, ok := v.(*ssa.Slice)
		if !ok {
			return true
		}
		_, ok = list.X.(*ssa.Alloc)
		return !ok
	})
}

// isConstantText reports whether a slice is made of a constant string.
func isConstantText(instr ssa.Instruction) bool {
	v, ok := instr.(*ssa.Convert)
	if !ok {
		return false
	}
	_, ok = v.X.(*ssa.Const)
	return ok
}

// putBack says how the last user of memory would end its use.
func (a *allocation) putBack() string {
	if strings.Contains(a.fate.where, byUnsafe) {
		return "get the slice, too, and put that back"
	}
	if why := a.unclear(); why != "" {
		return "clear it and put it back: " + why
	}
	return "put it back"
}

// whyMade says that a function makes the memory for want of other memory.
func (s *Site) whyMade(a *allocation) string {
	switch {
	case a.to == "":
		return ""
	case len(a.givers) == 1:
		return fmt.Sprintf(" It takes the place of the argument %s, for which %s passes nil.", a.to, a.givers[0])
	case len(a.givers) > 0:
		return fmt.Sprintf(" It takes the place of the argument %s, for which %s pass nil.", a.to, atMostTwo(a.givers))
	}
	return fmt.Sprintf(" %s makes it because its argument %s is nil.", s.Calls, a.to)
}

// judgeLocal judges memory that stays in its function.
func (s *Site) judgeLocal(a *allocation) {
	f := a.fate
	switch {
	case a.kind == kindPointer && !f.trusted && s.pieceSize() <= stackSize:
		s.say(Stack, "It does not leave %s; an interface or a function value often is the reason that the compiler cannot see that.", s.short())
	case isOfHash(a.instr) && hasArguments(a.instr):
		s.Call = "a basin.Pool[hash.Hash] for each crypto.Hash, with Reset"
		s.say(PoolIt, "The memory does not leave %s.", s.short())
	case a.kind == kindHash && hasArguments(a.instr):
		s.say(DoNotPool, "The arguments of its constructor, such as a key, may differ from call to call, and Reset does not change them.")
	case a.matrix != nil:
		s.Call = pooledBy[kindSlice]
		s.say(PoolIt, "%s uses all of the slices that the loop makes, and can put them when it returns.", s.short())
	case a.loop && f.list != "":
		s.say(DoNotPool, "Each round stores its memory in %s that outlives the round, so that one variable is not enough.", f.list)
	case a.loop && f.carried:
		s.say(DoNotPool, "A round of the loop may still use the memory of the round before, so that one variable is not enough.")
	case a.several != "" && a.loop:
		s.Call = a.call()
		s.say(Reuse, "%s, of which some do not leave their loops, such as %s.", a.several, name(a.instr.Parent()))
	case a.loop && !slices.Contains([]kind{kindReadAll, kindOther, kindCopy, kindProxy, kindPNG, kindImage, "json", "xml"}, a.kind):
		s.say(Reuse, "It does not leave the loop: %s.", a.shared())
	default:
		s.judgeOnce(a)
	}
}

// shared says how the rounds of a loop can share the memory that each of them makes.
func (a *allocation) shared() string {
	switch {
	case a.call() == callOfScanner:
		return "make one slice " + a.beforeLoop() + ", and give it to the Scanner of each round by its method Buffer"
	case a.kind == kindResult:
		if a.instr.(*ssa.Call).Call.StaticCallee().Signature.Recv() == nil { // it writes over all of the argument
			return "pass the result of the round before as " + a.to + ", extended to its capacity"
		}
		return "pass the result of the round before as " + a.to + ", cut to length 0"
	case a.kind == kindPointer:
		return a.beforeDecode()
	case a.kind == kindBuilder:
		return "make a bytes.Buffer " + a.beforeLoop() + " in its place, and Reset that in each round"
	case a.kind == kindBuffer || a.kind == kindHash || isPackaged(a.kind):
		return "make it " + a.beforeLoop() + ", and Reset it in each round"
	}
	return "declare it " + a.beforeLoop() + ", and cut it to length 0 in each round"
}

// judgeOnce judges memory that a function makes outside of loops, and that stays in it.
func (s *Site) judgeOnce(a *allocation) {
	f, size := a.fate, s.pieceSize()
	switch s.Call = a.call(); {
	case a.kind == kindAppend && size <= freeSize && !a.pointers && a.single && a.freed():
		s.Call = ""
		s.say(RuntimeFree, "It grows by single elements and dies in %s, without pointers: this Go toolchain frees the arrays that it outgrows.", s.short())
	case a.constant && size <= stackSize && a.kind == kindMake && !f.trusted:
		s.Call = ""
		s.say(Stack, "Its size is constant and it does not leave %s.", s.short())
	case a.kind == kindMake && !f.trusted && len(s.Sizes) == 1 && size <= stackSize:
		s.Call = ""
		s.say(Stack, "It does not leave %s, and its size is always about %s: make a slice of constant size, and cut it.", s.short(), bytesText(size))
	case s.Call == "":
		s.say(DoNotPool, "Nothing in basin fits memory that %s makes.%s", s.Calls, a.hint)
	case a.several != "":
		s.say(PoolIt, "%s, of which some do not leave their functions, such as %s.", a.several, name(a.instr.Parent()))
	default:
		s.say(PoolIt, "The memory does not leave %s.", s.grower(a))
		if why := a.unclear(); why != "" {
			s.Reason += " Clear it before the Put: " + why + "."
		}
	}
}

// judgeBuilder judges memory of a strings.Builder that becomes the string. It reports false if the verdict is another one.
func (s *Site) judgeBuilder(r *Report) bool {
	counts := !s.isRare(r) && !s.isSlow(r)
	switch {
	case counts && s.madeWholeBy() != "":
		s.say(DoNotPool, "Its memory becomes the string, and %s makes it in one piece already, so nothing can reuse it.", s.madeWholeBy())
	case unqualified(s.Calls) == "Grow" && (len(s.Lines) == 0 || s.isMostlyOf("strings.(*Builder).grow")):
		s.say(NotJudged, "Its memory becomes the string, in one piece already, so nothing can reuse it.")
	case counts && !s.buildsInSteps():
		s.say(Preallocate, "Its memory becomes the string, so nothing can reuse it; %s.", s.whoGrows())
	default:
		return false
	}
	return true
}

// buildsInSteps reports whether a strings.Builder grows several times in a function that it does not leave. So a Buffer of
// a pool can take its place until the string is made.
func (s *Site) buildsInSteps() bool {
	a := s.found
	return a != nil && a.fate != nil && a.joins != nil && a.fate.way == stays && !a.fate.carried && len(s.Sizes) > 1
}

// whoGrows says where the method Grow of a strings.Builder can be called, which an interface may not have.
func (s *Site) whoGrows() string {
	switch a := s.found; {
	case a == nil || !a.behind:
		return "if you know the length, call Grow first"
	case len(a.givers) == 0:
		return "Grow can be called only where the Builder is made, which this function does not show"
	case len(a.givers) == 1:
		return a.givers[0] + " makes the Builder, and can call Grow first if it knows the length"
	default:
		return atMostTwo(a.givers) + " make the Builder, and can call Grow first if they know the length"
	}
}

// hasArguments reports whether a call has arguments other than constants, functions and variables of a package.
func hasArguments(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	return ok && slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool {
		load, ok := arg.(*ssa.UnOp)
		if ok {
			arg = load.X
		}
		switch arg.(type) {
		case *ssa.Const, *ssa.Function, *ssa.Global:
			return false
		}
		return true
	})
}

// isOfHash reports whether a call makes a hash by a crypto.Hash.
func isOfHash(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	return ok && isCalled(call, "crypto.Hash.New")
}

// isOld reports whether values surely live long. Without a time it is enough that most of
// those that were ever made are live.
func (s *Site) isOld() bool {
	if s.Age != nil {
		return s.Age.Min > oldAge || s.alive > 0.5 && s.Age.Samples >= fewSamples
	}
	return s.alive > 0.5 && s.Samples >= fewSamples
}

func (s *Site) oldText() string {
	if s.Age != nil && s.Age.Min > oldAge {
		return "Its values live for " + seconds(s.Age.Min) + " and more"
	}
	return percent(s.alive) + " of all values that it made are still live"
}

// keptText names the callers that keep memory.
func keptText(calls []*ssa.Call) string {
	once := oncePerCaller(calls)
	if len(once) > 2 {
		return plural(len(once), "function") + " that keep it"
	}
	return strings.Join(placesOf(once), " and ")
}

// ownersText says who calls a function.
func ownersText(calls []*ssa.Call) string {
	once := oncePerCaller(calls)
	if len(once) <= 2 {
		return "only to " + strings.Join(placesOf(once), " and ")
	}
	of := "package"
	if fn := calls[0].Call.StaticCallee(); slices.ContainsFunc(calls, func(c *ssa.Call) bool { return c.Parent().Pkg != fn.Pkg }) {
		of = "module"
	}
	return plural(len(once), "function") + " of its " + of + " alone call it"
}
