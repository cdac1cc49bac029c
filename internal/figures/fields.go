//go:build go1.25

package figures

import (
	"fmt"
	"reflect"

	"github.com/basin-go/basin/basincheck"
)

// Fields returns the rows of a table by the field that they read, such as "Drops.Empty" or "Misuse.leak". Tests compare
// exporters with Stats by it.
func Fields[S any](all []Figure[*S]) map[string][]*Figure[*S] {
	fields := map[string][]*Figure[*S]{}
	each(reflect.TypeFor[S](), "", nil, func(path string, index []int, place int) {
		s := new(S)
		set(reflect.ValueOf(s).Elem().FieldByIndex(index), place)
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
	each(s, "", nil, func(path string, _ []int, _ int) { paths = append(paths, path) })
	return paths
}

// each calls f with the path and the index of each number of a struct; for those in arrays, with the place there.
func each(s reflect.Type, path string, index []int, f func(path string, index []int, place int)) {
	for i := range s.NumField() {
		field := s.Field(i)
		at := append(index[:len(index):len(index)], i)
		switch name := path + field.Name; {
		case field.Type == reflect.TypeFor[basincheck.Counts]():
			for _, k := range basincheck.Kinds() {
				f(name+"."+k.Name(), at, int(k))
			}
		case field.Type.Kind() == reflect.Array:
			for i := range field.Type.Len() {
				f(fmt.Sprint(name, ".", i), at, i)
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
func set(v reflect.Value, place int) {
	switch {
	case v.Kind() == reflect.Array:
		v.Index(place).SetUint(1)
	case v.CanInt():
		v.SetInt(1)
	default:
		v.SetUint(1)
	}
}
