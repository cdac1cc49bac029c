package basinarrow_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

// TestTheirs runs Arrow's own tests with an Allocator in place of GoAllocator, the default.
// Tests that do not apply:
//
//   - TestGoAllocator_Allocate expects capacities that equal the requested sizes.
//   - TestConcatenate of list views generates the views from an array of lengths. It keeps the
//     array's bytes without a reference, and releases the array.
func TestTheirs(t *testing.T) {
	pooltest.RunTheirs(t, "github.com/apache/arrow-go/v18", map[string]string{
		"arrow/memory/go_allocator.go": `package memory

import "github.com/basin-go/basin/adapters/basinarrow"

type GoAllocator struct{ basinarrow.Allocator }

func NewGoAllocator() *GoAllocator { return new(GoAllocator) }
`,
	}, append([]string{"-short", "-skip", "TestGoAllocator_Allocate|TestConcatenate/list_view|TestConcatenate/large_list_view"},
		pooltest.TheirPackages(t, []string{"./arrow/memory"}, "./arrow/array")...)...)
}
