package basinarrow_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinarrow"
)

// A garbage is an Allocator of a pool whose slices another user has filled, whole, each time before Arrow gets one.
// All bytes for which Allocate promises nothing are garbage, too.
type garbage struct{ basinarrow.Allocator }

func (a *garbage) Allocate(size int) []byte {
	a.spoil(size)
	b := a.Allocator.Allocate(size)
	fill(b[size:cap(b)])
	return b
}

func (a *garbage) Reallocate(size int, b []byte) []byte {
	a.spoil(size)
	return a.Allocator.Reallocate(size, b)
}

func (a *garbage) Free(b []byte) {
	fill(b[:cap(b)])
	a.Allocator.Free(b)
}

func (a *garbage) spoil(size int) {
	b := a.Bytes.Get(size)
	fill(b[:cap(b)])
	a.Bytes.Put(b)
}

// kinds have the types whose readers and writers have code of their own.
var kinds = []struct {
	typ    arrow.DataType
	append func(b array.Builder, i int)
}{
	{arrow.PrimitiveTypes.Int64, func(b array.Builder, i int) { b.(*array.Int64Builder).Append(int64(i)) }},
	{arrow.PrimitiveTypes.Float32, func(b array.Builder, i int) { b.(*array.Float32Builder).Append(float32(i)) }},
	{arrow.FixedWidthTypes.Boolean, func(b array.Builder, i int) { b.(*array.BooleanBuilder).Append(i%2 == 0) }},
	{arrow.BinaryTypes.String, func(b array.Builder, i int) { b.(*array.StringBuilder).Append(fmt.Sprint(i)) }},
	{arrow.BinaryTypes.Binary, func(b array.Builder, i int) { b.(*array.BinaryBuilder).Append(make([]byte, i%7)) }},
	{&arrow.FixedSizeBinaryType{ByteWidth: 5}, func(b array.Builder, i int) {
		b.(*array.FixedSizeBinaryBuilder).Append(fmt.Appendf(nil, "%05d", i))
	}},
	{arrow.ListOf(arrow.PrimitiveTypes.Float64), func(b array.Builder, i int) {
		l := b.(*array.ListBuilder)
		l.Append(true)
		for j := range i % 4 {
			l.ValueBuilder().(*array.Float64Builder).Append(float64(j))
		}
	}},
	{arrow.ListOf(arrow.ListOf(arrow.BinaryTypes.String)), func(b array.Builder, i int) {
		outer := b.(*array.ListBuilder)
		outer.Append(true)
		inner := outer.ValueBuilder().(*array.ListBuilder)
		for j := range i % 3 {
			if j == 1 {
				inner.AppendNull()
				continue
			}
			inner.Append(true)
			inner.ValueBuilder().(*array.StringBuilder).Append(fmt.Sprint(i, j))
		}
	}},
	{arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}), func(b array.Builder, i int) {
		s := b.(*array.StructBuilder)
		s.Append(true)
		s.FieldBuilder(0).(*array.Int32Builder).Append(int32(i))
		if i%3 == 0 {
			s.FieldBuilder(1).AppendNull()
		} else {
			s.FieldBuilder(1).(*array.StringBuilder).Append(fmt.Sprint(i))
		}
	}},
	{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), func(b array.Builder, i int) {
		m := b.(*array.MapBuilder)
		m.Append(true)
		for j := range i % 3 {
			m.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint(j))
			m.ItemBuilder().(*array.Int64Builder).Append(int64(i))
		}
	}},
}

// TestGarbage writes and reads columns with nulls, in memory that is full of garbage wherever Arrow may not presume
// zeros.
func TestGarbage(t *testing.T) {
	for _, c := range kinds {
		for _, format := range []struct {
			name  string
			write func(*bytes.Buffer, memory.Allocator, arrow.Record) error
			read  func([]byte, memory.Allocator, func(arrow.Record)) error
		}{{"parquet", writeParquet, readParquet}, {"ipc", writeIPC, readIPC}} {
			t.Run(fmt.Sprint(format.name, " ", c.typ), func(t *testing.T) {
				a := &garbage{basinarrow.Allocator{Bytes: &basin.BytePool{Name: t.Name(), MaxSize: 16 << 20}}}
				schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: c.typ, Nullable: true}}, nil)
				for rows := 100; rows < 110; rows++ {
					want, ours := record(memory.NewGoAllocator(), schema, c.append, rows), record(a, schema, c.append, rows)
					if !array.RecordEqual(want, ours) {
						t.Fatalf("%d rows were built as %v, want %v", rows, ours, want)
					}
					var written bytes.Buffer
					if err := format.write(&written, a, ours); err != nil {
						t.Fatal(err)
					}
					ours.Release()
					records := 0
					err := format.read(written.Bytes(), a, func(got arrow.Record) {
						records++
						if !array.RecordEqual(want, got) {
							t.Errorf("%d rows came back as %v, want %v", rows, got, want)
						}
					})
					if err != nil || records != 1 {
						t.Fatalf("%d records, %v", records, err)
					}
				}
			})
		}
	}
}

func record(a memory.Allocator, schema *arrow.Schema, fill func(array.Builder, int), rows int) arrow.Record {
	b := array.NewRecordBuilder(a, schema)
	defer b.Release()
	for i := range rows {
		if i%5 == 4 {
			b.Field(0).AppendNull()
		} else {
			fill(b.Field(0), i)
		}
	}
	return b.NewRecord()
}

func writeParquet(to *bytes.Buffer, a memory.Allocator, r arrow.Record) error {
	w, err := pqarrow.NewFileWriter(r.Schema(), to, parquet.NewWriterProperties(parquet.WithAllocator(a)), pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(a)))
	if err != nil {
		return err
	}
	if err := w.Write(r); err != nil {
		return err
	}
	return w.Close()
}

func readParquet(data []byte, a memory.Allocator, f func(arrow.Record)) error {
	// Pages are from Arrow's own allocator: version 18.1.0 uses them after it has freed them.
	p, err := file.NewParquetReader(bytes.NewReader(data), file.WithReadProps(parquet.NewReaderProperties(nil)))
	if err != nil {
		return err
	}
	defer p.Close()
	r, err := pqarrow.NewFileReader(p, pqarrow.ArrowReadProperties{}, a)
	if err != nil {
		return err
	}
	table, err := r.ReadTable(context.Background())
	if err != nil {
		return err
	}
	defer table.Release()
	records := array.NewTableReader(table, 0)
	defer records.Release()
	for records.Next() {
		f(records.Record())
	}
	return records.Err()
}

func writeIPC(to *bytes.Buffer, a memory.Allocator, r arrow.Record) error {
	w := ipc.NewWriter(to, ipc.WithSchema(r.Schema()), ipc.WithAllocator(a), ipc.WithZstd())
	if err := w.Write(r); err != nil {
		return err
	}
	return w.Close()
}

func readIPC(data []byte, a memory.Allocator, f func(arrow.Record)) error {
	r, err := ipc.NewReader(bytes.NewReader(data), ipc.WithAllocator(a))
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		f(r.Record())
	}
	return r.Err()
}
