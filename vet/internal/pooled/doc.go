// Package pooled follows pooled memory along the paths of each function of a package. It finds memory that is used after its
// Put, put twice, kept, or put into the wrong pool.
//
// An exploration follows the paths of one function (explore.go). A state is the knowledge of a path: objects, which are memory
// with an identity of its own, and the places that have them (state.go). A call changes the state by its row in the table of
// effects (modelled.go), or by the fact of the called function (facts.go). A call of an unknown function forgets (calls.go).
// When all paths have come to their ends, their common part is the function's own Fact, which its callers use, also in other
// packages. Mistakes on the way are Hits. A path need not exist in the program, so result.go keeps a Hit only if no other path
// contradicts it, and forks.go tells which conditions can. docs/vet-internals.md follows one bug through all of this.
//
// Touch it for a bug that only a path shows. For a library function, add a row to effects.txt. For a form of code, see
// package shape; for a pool as a whole, package pools; for later uses of a field, package places.
package pooled
