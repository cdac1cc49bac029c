package subjects

import "bytes"

// The allocator and the collector: a program without pools.

func init() {
	Register(&Subject{
		Name: "make", Kind: Standard, Source: "the language",
		About:   "make, new(bytes.Buffer) and new each time, nothing reused",
		Slices:  func() Slices { return makeSlices{} },
		Buffers: func() Buffers { return makeBuffers{} },
		Lists:   func() Lists { return makeLists{} },
		Records: func() Records { return makeRecords{} },
	})
}

type makeSlices struct{}

func (makeSlices) Get(n int) Slice { return Slice{B: make([]byte, n)} }
func (makeSlices) Put(Slice)       {}

type makeBuffers struct{}

func (makeBuffers) Get() Buffer { return new(bytes.Buffer) }
func (makeBuffers) Put(Buffer)  {}

type makeLists struct{}

func (makeLists) Get() List { return List{Items: newList()} }
func (makeLists) Put(List)  {}

type makeRecords struct{}

func (makeRecords) Get() *Record { return newRecord() }
func (makeRecords) Put(*Record)  {}
