//go:build go1.25

package basinscope

import (
	"unsafe"

	"github.com/basin-go/basin"
)

// Hook, if not nil, is called once, when a scope needs a new core or, after HookValues, new memory for
// values.
var Hook func()

func init() { cores.New = func() *core { callHook(); return nil } }

func callHook() {
	if f := Hook; f != nil {
		Hook = nil
		f()
	}
}

// HookValues makes the next need for a core or for memory of Ts call Hook: nothing is idle.
func HookValues[T any]() {
	cores.Trim()
	k := kindOf[T]()
	for i := range k.pools {
		k.pools[i].Store(&basin.Pool[[]T]{
			Name: poolName,
			Size: func(b []T) int { return cap(b) * int(unsafe.Sizeof(*new(T))) },
			New:  func() []T { callHook(); return nil },
		})
	}
}
