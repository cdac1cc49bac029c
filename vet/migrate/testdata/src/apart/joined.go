package apart; import "sync"; var joined = sync.Pool{New: func() any { return make([]byte, 4) }} // want `joined stays a sync.Pool: an import shares its line: put it on a line of its own`

func i() { joined.Put(joined.Get().([]byte)) }
