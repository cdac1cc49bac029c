package advise

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A channel has a header, and room for the elements that it buffers. The room often is for a limit, and makes nearly all of the memory.

// noteRoom notes that most memory of a line is the room of a channel.
func (s *source) noteRoom(a *allocation, site *Site) {
	const header, much = 96, 4 // times the header
	made, ok := a.instr.(*ssa.MakeChan)
	if !ok {
		return
	}
	typ, ok := made.Type().Underlying().(*types.Chan)
	if !ok { // it is of a type parameter
		return
	}
	most := site.mostBytes()
	size := sizeOfType(typ.Elem())
	if size == 0 || most.Size < much*header || most.Bytes < 0.9*site.Bytes {
		return
	}
	a.room = fmt.Sprintf(" Nearly all of it is its room for elements, of %s each, however many come: a smaller capacity needs less, and so does a channel that is kept.", bytesText(float64(size)))
}
