package basin

import (
	"reflect"
	"unsafe"
	"weak"

	"github.com/basin-go/basin/internal/check"
	"github.com/basin-go/basin/internal/engine"
)

// engineSwitch is an engine that is not kept alive.
type engineSwitch[T any] struct{ weak.Pointer[engine.Engine[T]] }

func (w engineSwitch[T]) collected() bool { return w.Value() == nil }

func (w engineSwitch[T]) setChecked(level CheckLevel) {
	if e := w.Value(); e != nil {
		e.Hide(level == CheckFull)
	}
}

// startChecked has an engine that begins to be used switched with the checks.
func startChecked[T any](e *engine.Engine[T]) {
	checking.mu.Lock()
	defer checking.mu.Unlock()
	addStarted(engineSwitch[T]{weak.Make(e)})
}

// pointee returns the pointer that x is, and the size of what it points to. Nothing else
// can be told apart from its equals.
func pointee[T any](x T) (p unsafe.Pointer, size int, ok bool) {
	v := reflect.ValueOf(x)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Size() == 0 {
		return nil, 0, false
	}
	return v.UnsafePointer(), int(v.Type().Elem().Size()), true
}

// checkedGet is Get while everything is tracked: values are not reused.
func (p *Pool[T]) checkedGet(t *check.Tracker) (x T) {
	if p.New != nil {
		x = p.New()
	}
	p.checked.gets.Add(1)
	if at, size, ok := pointee(x); ok {
		t.GetValue(ownerOf(&p.checkOwner, p.Name), at, size)
	}
	return x
}

// checkedPut is Put while everything is tracked.
func (p *Pool[T]) checkedPut(t *check.Tracker, x T) {
	p.checked.puts.Add(1)
	if at, size, ok := pointee(x); ok {
		if f, ok := t.PutValue(ownerOf(&p.checkOwner, p.Name), at, size); !ok {
			found(f)
		}
	}
}

// addChecked adds checked values: each is a miss when handed out, and let go when put.
func (p *Pool[T]) addChecked(s *PoolStats) {
	puts, gets := p.checked.puts.Load(), p.checked.gets.Load()
	s.Gets += gets
	s.Misses += gets
	s.Puts += puts
	s.Trimmed += puts
	s.Misuse = misusesOf(&p.checkOwner)
}
