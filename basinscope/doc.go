//go:build go1.25

// Package basinscope has the memory of a request: bytes, strings and values of any type, which one
// call at the end gives back.
//
// A pool needs a Put for each Get, on every path. A [Scope] needs one End:
//
//	var s basinscope.Scope
//	defer s.End()
//	line := s.Get(n)                     // bytes
//	name := s.String(line[:8])           // a string
//	node := basinscope.New[Node](&s)     // a value, with pointers if it likes
//	list := basinscope.Slice[*Node](&s, 8)
//
// Whatever must outlive the scope is copied first, with [bytes.Clone], [strings.Clone] or by hand.
//
// # Goroutines
//
// A Scope belongs to one goroutine at a time. Another goroutine gets a [Scope.Child]. A scope, its
// children and their children are one family with one memory: it is given back when all of them have
// ended. So a parent may go on to use the values that its children made, and the end of a parent
// takes nothing from a child that runs on.
//
// # Reused or fresh
//
// By default, the memory of a scope is reused by later ones, which costs next to nothing. A program
// that uses a value after the End then reads or changes another request's data, as with any pool;
// full checks and basin vet find such programs. With [Scope.Fresh], no memory is ever used by two
// scopes: the garbage collector takes it when nobody refers to it. A late read then sees the old data
// of its own request, never another's. Reuse is the default, as in all of basin, because it is the
// reason to have a scope: fresh scopes allocate, and small ones cost as much as the built-in new.
// Begin with Fresh where requests of different users meet, and remove it when the tests pass with
// full checks.
//
// # Memory
//
// Small slices are cut off a chunk, which comes from the scope's pool; larger ones come from the pool
// one by one. Values are elements of typed slices, which the collector knows as any others. The End
// clears them, so that nothing stays alive that they referred to. These slices are kept in a
// [basin.Pool] for each type and size, which the statistics show under the name "scope of" the type.
//
// docs/scope.md says when a scope pays.
package basinscope

const (
	errEnded = "basinscope: Scope used after its End"
	errBusy  = "basinscope: Scope used by two goroutines at a time; a Child is for the other"
	errCopy  = "basinscope: copy of a Scope used after the End of the original"
)
