//go:build go1.25

package basinscope

import "github.com/basin-go/basin"

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
		k.pools[i].Store(&basin.Pool[chunks]{
			Name: poolName,
			Size: chunks.bytes,
			New:  func() chunks { callHook(); return nil },
		})
	}
}
