package basinarrow_test

import (
	"testing"

	"github.com/basin-go/basin/internal/adaptertest"
)

// TestTheirs runs arrow's own tests with an Allocator in place of GoAllocator, which is
// its default. Those that do not apply:
//
//   - TestGoAllocator_Allocate wants capacities that are what was asked for, not more.
//   - TestConcatenate of list views generates them from an array of lengths whose bytes it
//     keeps, without a reference, and which it releases.
func TestTheirs(t *testing.T) {
	adaptertest.RunTheirs(t, "github.com/apache/arrow-go/v18", map[string]string{
		"arrow/memory/go_allocator.go": `package memory

import "github.com/basin-go/basin/adapters/basinarrow"

type GoAllocator struct{ basinarrow.Allocator }

func NewGoAllocator() *GoAllocator { return new(GoAllocator) }
`,
	}, append([]string{"-short", "-skip", "TestGoAllocator_Allocate|TestConcatenate/list_view|TestConcatenate/large_list_view"},
		adaptertest.Packages([]string{"./arrow/memory"}, "./arrow/array")...)...)
}
