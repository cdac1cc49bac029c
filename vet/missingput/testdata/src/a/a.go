package a

import (
	"errors"
	"io"

	"github.com/basin-go/basin"
)

var fixed basin.FixedPool

func forgotten(r io.Reader) error {
	b := fixed.Get() // want `lost memory counts against the pool's ceiling`
	if _, err := r.Read(b); err != nil {
		return err
	}
	fixed.Put(b)
	return nil
}

var bounded = &basin.BytePool{MaxInUse: 1 << 20}

var boundedValue = basin.BytePool{MaxInUse: 1 << 20}

func earlyOfValue(key string) bool {
	b := boundedValue.Get(10) // want `lost memory counts against the pool's ceiling`
	if key == "" {
		return false
	}
	boundedValue.Put(b)
	return true
}

func early(key string) bool {
	b := bounded.Get(10) // want `lost memory counts against the pool's ceiling`
	if key == "" {
		return false
	}
	bounded.Put(b)
	return true
}

func legalTry() error {
	b, ok := fixed.TryGet()
	if !ok {
		return errors.New("none")
	}
	fixed.Put(b)
	return nil
}

func legalHandedOn(push func([]byte) error) error {
	b := fixed.Get()
	if err := push(b); err != nil {
		fixed.Put(b)
		return err
	}
	return nil
}

func legalReturned() []byte { return fixed.Get() }

func legalDeferred(r io.Reader) error {
	b := fixed.Get()
	defer fixed.Put(b)
	_, err := r.Read(b)
	return err
}

func forgottenOnOnePath(r io.Reader) error {
	page := bounded.Get(4096) // want `lost memory counts against the pool's ceiling`
	if _, err := r.Read(page); err != nil {
		return err
	}
	bounded.Forget(page)
	return nil
}
