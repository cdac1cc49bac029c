//go:build go1.25

// Package guard allocates arrays that end at an inaccessible page, and become inaccessible when
// they are freed: the idea of Electric Fence. An access after Free, or beyond the capacity, faults
// at its instruction. [Find] then says whose array was there.
//
// The memory is outside the Go heap. Its addresses are reserved once, in chunks, and never returned
// to the system. So no address of a guarded array ever belongs to other memory, which a late user
// could damage. A chunk has slots of one size class: some pages for an array, and an inaccessible page:
//
//	│ slot of an outstanding array   │ slot of a late array           │
//	│ accessible    [array ]│ inacc. │ inaccessible                   │
//
// A late array is one that was freed. It has address space, but no memory. As many late arrays are known as
// an eighth of the limit has room for; of these, the one that was freed first is replaced first. Its slot
// goes to an array of the same class. Or its whole chunk goes to another class, if all arrays of the chunk
// are late: so classes that are in use take over from those that were. A new array consists of zero pages.
//
// The limit of [SetLimit] is for the memory of outstanding arrays, in whole pages, and for all that
// is known about arrays. Address space has limits of its own: see class.go.
//
// Adjacent inaccessible pages are one mapping, so an outstanding array costs two mappings, and a late one
// none. Linux permits 65,530 in a process, maxOutstanding takes half of them.
//
// Touch it for another operating system, or for the limits. internal/check decides which arrays are
// guarded.
package guard
