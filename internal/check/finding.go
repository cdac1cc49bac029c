package check

// A Kind is a kind of misuse. The values are those of basin.MisuseKind.
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

	Kinds = 1 + iota // and no kind
)

// A Finding is one misuse that was found.
type Finding struct {
	Kind                     Kind
	Owner                    *Owner
	Size, Offset             int
	Acquired, FirstPut, Here *Stack // nil where it does not apply
}
