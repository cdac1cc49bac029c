package held

import (
	"io"
	"sync"
)

// grafana/alloy#5670: the slice of a batch grows after the deferred Put.
type sampleBatch struct{ pool sync.Pool }

func (s *sampleBatch) get() []int64 {
	v := s.pool.Get()
	if v == nil {
		return make([]int64, 0, 100)
	}
	return v.([]int64)
}

func (s *sampleBatch) put(b []int64) {
	clear(b)
	s.pool.Put(b[:0])
}

func (s *sampleBatch) BugFlush(next func() (int64, error), send func([]int64) error) error {
	batch := s.get()
	defer s.put(batch) // BUG
	for {
		v, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		batch = append(batch, v)
	}
	if len(batch) == 0 {
		return nil
	}
	return send(batch)
}
