package advise

import "testing"

// TestReasonsOfMessages has messages that are decoded and encoded. The functions of protobuf are trusted with those that are generated.
func TestReasonsOfMessages(t *testing.T) {
	judgedWith(t, map[string]string{
		"go.mod": goMod(t, "a.example") + `
require google.golang.org/protobuf v1.36.0

replace google.golang.org/protobuf => ./protobuf
`,
		"protobuf/go.mod":                       "module google.golang.org/protobuf\n\ngo 1.25.0\n",
		"protobuf/internal/impl/impl.go":        "package impl\n\ntype MessageState struct{ info any }\n",
		"protobuf/runtime/protoimpl/impl.go":    "package protoimpl\n\nimport \"google.golang.org/protobuf/internal/impl\"\n\ntype MessageState = impl.MessageState\n",
		"protobuf/reflect/protoreflect/type.go": "package protoreflect\n\ntype Message interface{ IsValid() bool }\n\ntype ProtoMessage interface{ ProtoReflect() Message }\n",
		"protobuf/proto/proto.go": `package proto

import "google.golang.org/protobuf/reflect/protoreflect"

type Message = protoreflect.ProtoMessage

var (
	last  Message
	bytes []byte
)

func Unmarshal(b []byte, m Message) error { last, bytes = m, b; return nil }

func Marshal(m Message) ([]byte, error) { last = m; return bytes, nil }

func Size(m Message) int { last = m; return 0 }

func NewBuffer(m Message) *Message { last = m; return &last }

type MarshalOptions struct{ Deterministic bool }

func (o MarshalOptions) MarshalAppend(b []byte, m Message) ([]byte, error) { last = m; return append(b, 1), nil }
`,
		"gen/gen.go": `package gen

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

type Leaf struct {
	state protoimpl.MessageState
	Name  string
}

func (x *Leaf) ProtoReflect() protoreflect.Message { return nil }

type Node struct {
	state protoimpl.MessageState
	Data  []byte
	Leafs []*Leaf
	By    map[string]*Leaf
	Next  *Node
	Count *int64
	Kind  isNode_Kind
	Pad   [40]int64
}

type isNode_Kind interface{ isNode_Kind() }

type Node_Leaf struct{ Leaf *Leaf }

func (*Node_Leaf) isNode_Kind() {}

func (x *Node) ProtoReflect() protoreflect.Message { return nil }

func (x *Node) Reset() {}

type Custom struct{ b []byte }

func (c *Custom) Unmarshal(b []byte) error { c.b = b; return nil }

type Mixed struct {
	state protoimpl.MessageState
	Own   *Custom
	Pad   [40]int64
}

func (x *Mixed) ProtoReflect() protoreflect.Message { return nil }

type Other struct {
	Data []byte
	Pad  [40]int64
}

func (x *Other) ProtoReflect() protoreflect.Message { return nil }
`,
	}, `package p

import (
	"io"

	"a.example/gen"
	"google.golang.org/protobuf/proto"
)

func decoded(b []byte) int {
	var n gen.Node // : pool it; The memory does not leave decoded.
	if proto.Unmarshal(b, &n) != nil {
		return 0
	}
	return len(n.Leafs)
}

func read(r io.Reader, n int) (*gen.Node, error) {
	b := make([]byte, n) // : pool it; The memory does not leave read.
	r.Read(b)
	node := new(gen.Node) // : needs an owner; The memory leaves read: it is returned
	return node, proto.Unmarshal(b, node)
}

func encoded(w io.Writer, b []byte) {
	data := make([]byte, len(b)) // : pool it; The memory does not leave encoded.
	copy(data, b)
	m, _ := proto.Marshal(&gen.Node{Data: data})
	w.Write(m)
}

func appended(w io.Writer, n *gen.Node) {
	b := make([]byte, 0, proto.Size(n)) // : pool it; The memory does not leave appended.
	b, _ = proto.MarshalOptions{}.MarshalAppend(b, n)
	w.Write(b)
}

func returned(n *gen.Node) []byte {
	b := make([]byte, 0, proto.Size(n)) // : needs an owner; The memory leaves returned: it is returned
	b, _ = proto.MarshalOptions{}.MarshalAppend(b, n)
	return b
}

func mixed(r io.Reader, n int) error {
	b := make([]byte, n) // : needs an owner; The memory leaves mixed: it is passed to proto.Unmarshal
	r.Read(b)
	return proto.Unmarshal(b, new(gen.Mixed))
}

func other(r io.Reader, n int) error {
	b := make([]byte, n) // : needs an owner; The memory leaves other: it is passed to proto.Unmarshal
	r.Read(b)
	return proto.Unmarshal(b, new(gen.Other))
}

func unknown(r io.Reader, n int, m proto.Message) error {
	b := make([]byte, n) // : needs an owner; The memory leaves unknown: it is passed to proto.Unmarshal
	r.Read(b)
	return proto.Unmarshal(b, m)
}

func without(n int) {
	m := &gen.Node{} // : needs an owner; The memory leaves without: it is passed to proto.NewBuffer
	proto.NewBuffer(m)
}
`, func(i int, s *synthetic) { s.objects = s.bytes / 512 })
}
