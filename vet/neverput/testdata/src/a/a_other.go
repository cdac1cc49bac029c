//go:build neverbuilt

package a

import "bytes"

func done(b *bytes.Buffer) { elsewhere.Put(b) }
