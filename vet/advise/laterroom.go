package advise

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A slice that a loop fills may grow at other lines after that. A capacity for the loop alone would leave no room for those: the next
// append would copy all elements, where one that has doubled the array often finds room.

// noteLater notes the lines that append to a slice after the loop that fills it.
func (s *source) noteLater(a *allocation, grown *ssa.Call) {
	var lines []string
	end := ""
	for _, call := range appendsTo(grown) {
		line := fmt.Sprint(s.line(call.Pos()))
		if call == grown || slices.Contains(lines, line) {
			continue
		}
		lines = append(lines, line)
		end = s.onlyLoopOf(call)
	}
	switch len(lines) {
	case 0:
		return
	case 1:
		a.later = "at line " + lines[0]
		if end != "" {
			a.later += ", in a loop over " + end
		}
	default:
		a.later = "at lines " + inWords(lines)
	}
}

// onlyLoopOf returns the range of the only loop around a call, or nothing.
func (s *source) onlyLoopOf(call *ssa.Call) (end string) {
	f, _, path := s.callAt(call)
	for _, n := range path {
		switch n.(type) {
		case *ast.FuncLit:
			return ""
		case *ast.ForStmt, *ast.RangeStmt:
			over, _ := f.rounds(n)
			if over == nil || end != "" {
				return ""
			}
			end = types.ExprString(over)
		}
	}
	return end
}

// laterText says that a capacity needs room for later appends, too.
func (a *allocation) laterText() string {
	if a.later == "" || a.inField != "" {
		return ""
	}
	return " It also grows " + a.later + ": add that number to the capacity, or the next append copies all elements."
}
