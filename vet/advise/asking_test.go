package advise

import "testing"

// TestReasonsOfAsking has values with methods that keep them: packages call some of these, and never others.
func TestReasonsOfAsking(t *testing.T) {
	const (
		owner = " Its last user would have to"
		stays = "pool it; The memory does not leave "
	)
	judgedMaking(t, `package p

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"sort"
	"text/template"
)

var kept [][]byte

type path []byte

func (p path) String() string { kept = append(kept, p); return "" }

type text []byte

func (p text) MarshalText() ([]byte, error) { kept = append(kept, p); return nil, nil }

type item struct {
	P path
	B []byte
}

type note struct{ T text }

func encodes(n int) ([]byte, error) {
	b := make([]byte, n) // : `+stays+`encodes.$
	return json.Marshal(item{B: b, P: b})
}

func encodesText(n int) ([]byte, error) {
	b := make([]byte, n) // : needs an owner; The memory may leave encodesText: it is in a value whose method (p.text).MarshalText may keep it.`+owner+`
	return json.Marshal(note{b})
}

func encodesXML(n int) ([]byte, error) {
	b := make([]byte, n) // : `+stays+`encodesXML.$
	return xml.Marshal(item{B: b, P: b})
}

func encodesXMLText(n int) ([]byte, error) {
	b := make([]byte, n) // : needs an owner; The memory may leave encodesXMLText: it is in a value whose method (p.text).MarshalText may keep it.`+owner+`
	return xml.Marshal(note{b})
}

func prints(w io.Writer, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave prints: it is in a value whose method (p.path).String may keep it.`+owner+`
	fmt.Fprintf(w, "%v", item{B: b, P: b})
}

func printsText(w io.Writer, n int) {
	b := make([]byte, n) // : `+stays+`printsText.$
	fmt.Fprintf(w, "%v", note{b})
}

func executes(w io.Writer, t *template.Template, n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave executes: it is in a value whose method (p.text).MarshalText may keep it.`+owner+`
	t.Execute(w, note{b})
}

func encode(x any) ([]byte, error) { return json.Marshal(x) }

func encodesBy(n int) ([]byte, error) {
	b := make([]byte, n) // : `+stays+`encodesBy.$
	return encode(item{B: b, P: b})
}

func encodesTextBy(n int) ([]byte, error) {
	b := make([]byte, n) // : needs an owner; The memory may leave encodesTextBy: it is in a value whose method (p.text).MarshalText may keep it.`+owner+`
	return encode(note{b})
}

type both struct{ B []byte }

func (b both) String() string { kept = append(kept, b.B); return "" }

func encodesSelf(n int) ([]byte, error) {
	b := make([]byte, n) // : `+stays+`encodesSelf.$
	return json.Marshal(both{b})
}

func encodesSelfBy(n int) ([]byte, error) {
	b := make([]byte, n) // : `+stays+`encodesSelfBy.$
	return encode(both{b})
}

func printsSelf(n int) {
	b := make([]byte, n) // : needs an owner; The memory may leave printsSelf: it is in a value whose method (p.both).String may keep it
	show(both{b})
}

func show(x any) { fmt.Println(x) }

type selfText struct{ B []byte }

func (s selfText) MarshalText() ([]byte, error) { kept = append(kept, s.B); return nil, nil }

func encodesOwn(n int) ([]byte, error) {
	b := make([]byte, n) // : needs an owner; The memory leaves encodesOwn: it
	return json.Marshal(selfText{b})
}

func encodesOwnBy(n int) ([]byte, error) {
	b := make([]byte, n) // : needs an owner; The memory leaves encodesOwnBy: it
	return encode(selfText{b})
}

type list struct{ b []byte }

func (l list) Len() int           { return len(l.b) }
func (l list) Less(i, j int) bool { return l.b[i] < l.b[j] }
func (l list) Swap(i, j int)      { l.b[i], l.b[j] = l.b[j], l.b[i] }
func (l list) Keep()              { kept = append(kept, l.b) }

func sorts(n int) {
	b := make([]byte, n) // : `+stays+`sorts.$
	sort.Sort(list{b})
}

func sortsAny(x sort.Interface) { sort.Sort(x) }

func sortsBy(n int) {
	b := make([]byte, n) // : `+stays+`sortsBy.$
	sortsAny(list{b})
}

type keeps struct{ b []byte }

func (k keeps) Len() int           { return len(k.b) }
func (k keeps) Less(i, j int) bool { kept = append(kept, k.b); return false }
func (k keeps) Swap(i, j int)      {}

func sortsKept(n int) {
	b := make([]byte, n) // : needs an owner; The memory leaves sortsKept: it is stored in the variable kept
	sortsAny(keeps{b})
}
`)
}
