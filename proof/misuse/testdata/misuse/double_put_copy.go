//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// A frame owns its payload. A copy of a frame owns it as well.
type frame struct{ payload []byte }

func (f *frame) close() {
	if f.payload != nil {
		basin.Put(f.payload) // want: double Put
		f.payload = nil
	}
}

func copyBug() {
	f := frame{basin.Get(300)}
	resend := f
	f.close()
	resend.close()
}

func copyFixed() {
	f := &frame{basin.Get(300)}
	resend := f
	f.close()
	resend.close()
}

func init() { add("double_put_copy", copyBug, copyFixed) }
