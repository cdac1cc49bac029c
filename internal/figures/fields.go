//go:build go1.25

package figures

import (
	"reflect"

	"github.com/basin-go/basin/basincheck"
)

// Fields returns the rows of a table by the field that they read, such as "Drops.Empty" or "Misuse.leak". Tests compare
// exporters with Stats by it.
func Fields[S any](all []Figure[*S]) map[string][]*Figure[*S] {
	fields := map[string][]*Figure[*S]{}
	each(reflect.TypeFor[S](), "", nil, func(path string, index []int, kind basincheck.Kind) {
		s := new(S)
		set(reflect.ValueOf(s).Elem().FieldByIndex(index), kind)
		for i := range all {
			if all[i].Of(s) == 1 {
				fields[path] = append(fields[path], &all[i])
			}
		}
	})
	return fields
}

// Leaves returns the numbers of a struct and the structs in it, without those in lists.
func Leaves(s reflect.Type) (paths []string) {
	each(s, "", nil, func(path string, _ []int, _ basincheck.Kind) { paths = append(paths, path) })
	return paths
}

// each calls f with the path and the index of each number of a struct; for each kind of misuse, with the kind.
func each(s reflect.Type, path string, index []int, f func(path string, index []int, kind basincheck.Kind)) {
	for i := range s.NumField() {
		field := s.Field(i)
		at := append(index[:len(index):len(index)], i)
		switch name := path + field.Name; {
		case field.Type == reflect.TypeFor[basincheck.Counts]():
			for _, k := range basincheck.Kinds() {
				f(name+"."+k.Name(), at, k)
			}
		case field.Anonymous:
			each(field.Type, path, at, f)
		case field.Type.Kind() == reflect.Struct:
			each(field.Type, name+".", at, f)
		case field.Type.Kind() != reflect.Slice && field.Type.Kind() != reflect.String:
			f(name, at, 0)
		}
	}
}

// set makes a number 1.
func set(v reflect.Value, kind basincheck.Kind) {
	switch {
	case v.Kind() == reflect.Array:
		v.Index(int(kind)).SetUint(1)
	case v.CanInt():
		v.SetInt(1)
	default:
		v.SetUint(1)
	}
}
