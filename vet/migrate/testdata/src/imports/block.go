package imports

import (
	"sync"; _ "side"
)

var block = sync.Pool{New: func() any { return make([]byte, 10) }} // want `block becomes`

func g() { block.Put(block.Get().([]byte)) }
