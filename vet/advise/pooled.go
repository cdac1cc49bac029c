package advise

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
)

// The report names the pool that memory is for.

// isPartOf notes that memory may be a part of a value from a pool.
func (a *allocation) isPartOf(from ...lent) {
	l := anyOf(from, func(l lent) lent { return l })
	a.got = l.ok
	a.notePool(l.pool)
}

func (a *allocation) notePool(v *types.Var) {
	if v != nil && !slices.Contains(a.pools, v) {
		a.pools = append(a.pools, v)
	}
}

// findPool finds the pool that memory is for, which had none or none so large.
func (s *source) findPool(a *allocation) {
	of, made := s.tracer.makers[a.instr.Parent()]
	missed := missesPool(a.instr).or(standsIn(a.instr))
	a.pooled = strings.Contains(a.fate.where, "sync.Pool)") || made || missed.ok
	if !a.pooled && !a.got {
		return
	}
	if missed.ok {
		a.notePool(missed.pool)
	} else if made && !slices.Contains(of, nil) { // otherwise some have no name
		for _, v := range of {
			a.notePool(v)
		}
	}
	var names []string
	for _, v := range a.pools {
		names = append(names, s.poolName(v))
	}
	slices.Sort(names)
	a.inPool = strings.Join(names, " or ")
	a.perUse = s.perUse(a.pools)
}

// perUse says where structs are made that have the pool in a field, because a pool helps no more often than its struct is used.
func (s *source) perUse(pools []*types.Var) string {
	if len(pools) != 1 || ownerOf(pools[0]) == nil {
		return ""
	}
	of := ownerOf(pools[0])
	if pkg, name := named(pools[0].Type()); pkg != "sync" || name != "Pool" || facts.IsFreeName(of.Name()) || lendsValues(of.Type()) {
		return ""
	}
	makers, _ := s.makersOf(of, 2)
	if len(makers) == 0 {
		return ""
	}
	return fmt.Sprintf(" Each %s has a pool of its own: if each use makes one, in %s, declare the pool as a variable of the package.", of.Name(), makersText(makers))
}

// poolNameOf does the same as poolName, and returns nothing for a pool that is not known.
func (s *source) poolNameOf(v *types.Var) string {
	if v == nil {
		return ""
	}
	return s.poolName(v)
}

// poolName names a pool and its place.
func (s *source) poolName(v *types.Var) string {
	name := v.Name()
	if of := ownerOf(v); of != nil {
		name = of.Name() + "." + name
	}
	if isPoolList(v.Type()) {
		name = "one of " + name
	}
	if at := s.position(v.Pos()); at.IsValid() {
		name += fmt.Sprintf(" (%s:%d)", base(at.Filename), at.Line)
	}
	return name
}

// pooledText says of memory that a pool has already why it is made all the same.
func (a *allocation) pooledText() string { return a.missText() + a.limited + a.perUse }

func (a *allocation) missText() string {
	switch {
	case !a.pooled && a.inPool != "" && replaces(a.instr):
		return "It replaces the memory of a value from a pool, " + a.inPool + ", at each use: make it only where that is too small."
	case !a.pooled && a.anew != nil:
		return fmt.Sprintf("Field %s of a value from a pool%s gets it anew each time, in %s, whatever memory it had: read or append to that.",
			fieldName(a.anew.Addr.(*ssa.FieldAddr)), a.ofPool(), name(a.anew.Parent()))
	case a.pooled && skipsPool(a.instr):
		return fmt.Sprintf("%s makes it without a Get of the pool%s, from which it takes others: look at the condition before.", name(a.instr.Parent()), a.ofPool())
	case a.pooled && a.inPool != "":
		return "It is pooled already, by " + a.inPool + "; these are the Gets that its pool cannot serve."
	case a.pooled:
		return "It is pooled already; these are the Gets that its pool cannot serve."
	case a.share > 0 && a.share < 0.995:
		return percent(a.share) + " of it belongs to values from a pool" + a.ofPool() + ": it is made or grows here if the pool has no value, or none so large."
	}
	return "It belongs to a value from a pool" + a.ofPool() + ": it is made or grows here if the pool has no value, or none so large."
}

// skipsPool reports whether a function that takes values from a sync.Pool makes one without having tried that.
func skipsPool(made ssa.Instruction) bool {
	tries := false
	for _, b := range made.Parent().Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(*ssa.Call); ok && isCalled(call, "sync.(*Pool).Get") {
				if tries = true; comes(call, made, nil) {
					return false
				}
			}
		}
	}
	return tries
}

// ofPool names the pool.
func (a *allocation) ofPool() string {
	if a.inPool == "" {
		return ""
	}
	return ", " + a.inPool
}
