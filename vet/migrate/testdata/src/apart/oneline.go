package apart

import ("bytes"; "sync")

var oneline = sync.Pool{New: func() any { return new(bytes.Buffer) }} // want `oneline stays a sync.Pool: an import shares its line: put it on a line of its own`

func f() {
	b := oneline.Get().(*bytes.Buffer)
	b.Reset()
	oneline.Put(b)
}
