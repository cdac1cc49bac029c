package held

import "sync"

// nadoo/glider#175: the pool is chosen by the length.
var glidSizes = []int{1 << 10, 2 << 10, 4 << 10, 8 << 10}

var glidPools = []sync.Pool{
	{New: func() any { return make([]byte, 1<<10) }},
	{New: func() any { return make([]byte, 2<<10) }},
	{New: func() any { return make([]byte, 4<<10) }},
	{New: func() any { return make([]byte, 8<<10) }},
}

func GetBuffer175(size int) []byte {
	for i, n := range glidSizes {
		if size <= n {
			return glidPools[i].Get().([]byte)[:size]
		}
	}
	return make([]byte, size)
}

func BugPutBuffer175(p []byte) {
	l := len(p)
	for i, n := range glidSizes {
		if l == n {
			glidPools[i].Put(p) // BUG
			return
		}
	}
}
