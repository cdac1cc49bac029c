package check

// A Kind is a kind of misuse. Zero is no kind.
type Kind uint8

const (
	DoublePut Kind = 1 + iota
	WriteAfterPut
	ForeignPut
	InteriorPut
	ReslicedPut
	WrongPool
	UseAfterRelease
	Leak

	afterKinds
)

// kinds has what each Kind is called: in words, and as one word in snake case, which labels
// of metrics, keys of JSON and attributes of logs are. Whatever lists kinds derives from it.
var kinds = [afterKinds]struct{ words, name string }{
	DoublePut:       {"double Put", "double_put"},
	WriteAfterPut:   {"write after Put", "write_after_put"},
	ForeignPut:      {"foreign Put", "foreign_put"},
	InteriorPut:     {"interior Put", "interior_put"},
	ReslicedPut:     {"re-sliced Put", "resliced_put"},
	WrongPool:       {"Put into another pool", "wrong_pool"},
	UseAfterRelease: {"use after release", "use_after_release"},
	Leak:            {"leak", "leak"},
}

// Kinds is the number of kinds, no kind included: the length of an array with a Kind as its
// index.
const Kinds = len(kinds)

// Words returns what k is called in a sentence, or "" if there is no such kind.
func (k Kind) Words() string {
	if int(k) >= Kinds {
		return ""
	}
	return kinds[k].words
}

// Name returns the name of k in snake case, or "" if there is no such kind.
func (k Kind) Name() string {
	if int(k) >= Kinds {
		return ""
	}
	return kinds[k].name
}

// A Finding is one misuse.
type Finding struct {
	Kind                     Kind
	Owner                    *Owner
	Size, Offset             int
	Acquired, FirstPut, Here []uintptr // stacks, nil where they do not apply
	Count                    uint64    // how many of its group there are, this included; set by Report
}
