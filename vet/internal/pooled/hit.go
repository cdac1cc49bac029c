package pooled

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// HitKind is the kind of a mistake with pooled memory.
type HitKind uint8

const (
	UseAfterPut      HitKind = iota + 1 // memory that was put is read, written or passed on
	DoublePut                           // memory that was put is put once more
	ReturnedAfterPut                    // memory that was put, or will be by a deferred call, is returned
	StoredAfterPut                      // such memory is kept in a field or a variable
	SentAfterPut                        // such memory is sent
	GoAfterPut                          // such memory is given to a goroutine
	SharedAtPut                         // memory is put while another goroutine has it
	GoInHandler                         // a goroutine has memory that a framework reuses
	StaleView                           // a slice of a buffer is used after the buffer was written to
	CutPut                              // the front of the slice put is missing
	ClippedPut                          // the capacity of the slice put is cut
	GrownPut                            // append may have moved the slice before it is put
	ForeignPut                          // the memory put belongs to no pool
	OtherPool                           // the memory put came from another pool
	MissingPut                          // a path ends without a Put
	HandlerPut                          // memory is put that its framework puts, too
)

// A Hit is one mistake with one piece of memory.
type Hit struct {
	Kind    HitKind
	At      token.Pos // of the use
	Put     token.Pos
	Grow    bool      // the Put is an Append or the like, which puts the memory that it outgrows
	Forget  bool      // the Put is a Forget: the memory stays with its users
	Defer   bool      // the Put is deferred
	Later   bool      // the use is a deferred call
	Callee  string    // the function that puts
	Some    bool      // that function puts it on some returns only
	Inner   token.Pos // of the Put in that function, if it is in the same package
	Again   token.Pos // DoublePut: of the second Put, if At is a call of a function in this package that has it
	By      string    // DoublePut: that function
	Get     token.Pos
	Pool    string // the type of the pool that handed it out
	Func    *ssa.Function
	Use     ssa.Instruction
	put     *death
	origin  string // of the memory
	decided bool   // OtherPool: the path depends on conditions
	whole   bool   // StoredAfterPut of an item, and not of a part of it
	since   forks  // between its Get and the use, on the path with the fewest
	Typ     types.Type
	Limited bool        // the pool has MaxInUse
	More    []token.Pos // further uses after the same Put
}

// PutInstr returns the instruction that put the memory.
func (h *Hit) PutInstr() ssa.Instruction { return h.put.instr }
