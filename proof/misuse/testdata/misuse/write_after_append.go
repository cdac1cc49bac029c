//go:build go1.25

package misuse

import "github.com/basin-go/basin"

// table keeps a row while it appends others.
func tableBug() {
	b := basin.Get(64)[:0]
	b = append(b, "first row"...)
	row := b[:9]
	for range 10 {
		b = basin.AppendString(b, ", another row") // want: write after Put
	}
	row[0] = 'F'
	basin.Put(b)
}

func tableFixed() {
	b := basin.Get(64)[:0]
	b = append(b, "first row"...)
	for range 10 {
		b = basin.AppendString(b, ", another row")
	}
	row := b[:9]
	row[0] = 'F'
	basin.Put(b)
}

func init() { add("write_after_append", tableBug, tableFixed) }
