package imports

import (
	_ "side"; "sync"
)

var last = sync.Pool{New: func() any { return make([]byte, 10) }} // want `last becomes`

func h() { last.Put(last.Get().([]byte)) }
