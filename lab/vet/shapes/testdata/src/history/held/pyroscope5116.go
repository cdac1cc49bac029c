package held

import (
	"bytes"
	"sort"
	"strings"
	"sync"
	"unsafe"
)

// grafana/pyroscope#5116: label values alias the buffer of a dataset, which closing
// the dataset puts.
var indexBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type dataset struct {
	index *bytes.Buffer
	open  bool
}

func openDataset(load func(*bytes.Buffer) error) (*dataset, error) {
	b := indexBuffers.Get().(*bytes.Buffer)
	b.Reset()
	if err := load(b); err != nil {
		indexBuffers.Put(b)
		return nil, err
	}
	return &dataset{b, true}, nil
}

func (d *dataset) Close() {
	if d.index != nil {
		indexBuffers.Put(d.index)
		d.index = nil
	}
}

func (d *dataset) values() []string {
	data := d.index.Bytes()
	var vs []string
	for len(data) > 0 {
		n := int(data[0])
		vs = append(vs, unsafe.String(&data[1], n))
		data = data[1+n:]
	}
	sort.Strings(vs)
	return vs
}

func BugLabelValues(load func(*bytes.Buffer) error) ([]string, error) {
	d, err := openDataset(load)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.values(), nil // BUG
}

func fixedLabelValues(load func(*bytes.Buffer) error) ([]string, error) {
	d, err := openDataset(load)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var vs []string
	for _, v := range d.values() {
		vs = append(vs, strings.Clone(v))
	}
	return vs, nil
}
