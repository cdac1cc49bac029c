//go:build go1.25

package lockfree

// A List has elements at some indexes. It takes memory for the range from the first to the last of
// them. It never changes, so it can be read without a lock. A nil List is empty.
type List[E any] struct {
	first    uint // index of elements[0]
	elements []*E // nil where there is none
}

// At returns the element at i, or nil.
func (l *List[E]) At(i uint) *E {
	if l != nil {
		if i -= l.first; i < uint(len(l.elements)) {
			return l.elements[i]
		}
	}
	return nil
}

// With returns a copy of the list with e at i.
func (l *List[E]) With(i uint, e *E) *List[E] {
	if l == nil {
		return &List[E]{i, []*E{e}}
	}
	first := min(i, l.first)
	elements := make([]*E, max(i+1, l.first+uint(len(l.elements)))-first)
	copy(elements[l.first-first:], l.elements)
	elements[i-first] = e
	return &List[E]{first, elements}
}

// Each calls yield for each element, in the order of their indexes, until yield returns false.
func (l *List[E]) Each(yield func(uint, *E) bool) {
	if l == nil {
		return
	}
	for i, e := range l.elements {
		if e != nil && !yield(l.first+uint(i), e) {
			return
		}
	}
}
