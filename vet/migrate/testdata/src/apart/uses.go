package apart

import "bytes"

// This file does not need bytes any more, though the size of the pool does.
func h() {
	b := sized.Get().(*bytes.Buffer)
	b.Reset()
	sized.Put(b)
}
