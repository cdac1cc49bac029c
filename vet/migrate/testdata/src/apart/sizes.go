package apart

import (
	"bytes"
	"golang.org/x/tools"
	"sync"
)

// The line after the one of the new import is removed.
var sized = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 2*bytes.MinRead)) }} // want `sized becomes a basin.BufferPool`

const _ = tools.X
