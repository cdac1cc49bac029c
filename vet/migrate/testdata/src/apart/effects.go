package apart

import (
	"side"
	"sync"
)

var effects = sync.Pool{New: func() any { return make([]byte, 10) }} // want `effects stays a sync.Pool: the change would remove the last use of package side, whose import may have effects`

func g() { effects.Put(effects.Get().(side.Bytes)) }
