package advise

import "testing"

// TestReasonsOfFullArguments has functions that append to a parameter, for which callers pass full slices, or others.
func TestReasonsOfFullArguments(t *testing.T) {
	const owner = " Its last user would have to put it back."
	judged(t, `package p

func add(labels []string, v string) []string {
	labels = append(labels, v) // : needs an owner; The memory leaves add: it is returned from p.add.`+owner+` The append makes it, because the slice literal that is passed as labels has no room: give that a larger capacity, at p.go:13.$
	if v != "" {
		labels = append(labels, v)
	}
	return labels
}

func Record(f func([]string), v string) {
	labels :=
		[]string{"a", v}
	f(add(labels, v))
}

func addTwo(labels []string, v string) []string {
	return append(labels, v) // : needs an owner; The memory leaves addTwo: it is returned from p.addTwo.`+owner+` The append makes it, because the 2 slice literals that are passed as labels have no room: give them a larger capacity, such as that at p.go:22.$
}

func RecordTwo(f func([]string), v string) {
	f(addTwo([]string{"a", v}, v))
	f(addTwo([]string{"a", v, v}, v))
}

func addSome(labels []string, v string) []string {
	return append(labels, v) // : needs an owner; The memory leaves addSome: it belongs to the caller, who passes it as labels.
}

func RecordSome(f func([]string), v string, all []string) {
	f(addSome([]string{"a", v}, v))
	f(addSome(all, v))
}

func addMade(labels []string, v string) []string {
	return append(labels, v) // : needs an owner; The memory leaves addMade: it belongs to the caller, who passes it as labels.
}

func RecordMade(f func([]string), v string) {
	f(addMade(make([]string, 2, 4), v))
	f(addMade([]string{"a", v}[:1], v))
}

func addCut(labels []string, v string) []string {
	return append(labels[:0], v) // : needs an owner; The memory leaves addCut: it belongs to the caller, who passes it as labels.
}

func RecordCut(f func([]string), v string) { f(addCut([]string{"a", v}, v)) }

func Exported(labels []string, v string) []string {
	return append(labels, v) // : needs an owner; The memory leaves Exported: it belongs to the caller, who passes it as labels.
}

func RecordExported(f func([]string), v string) { f(Exported([]string{"a", v}, v)) }

func addValue(labels []string, v string) []string {
	return append(labels, v) // : needs an owner; The memory leaves addValue: it belongs to the caller, who passes it as labels.
}

var value = addValue

func RecordValue(f func([]string), v string) { f(addValue([]string{"a", v}, v)) }
`, nil)
}
