// Package basinwebsocket bounds the write buffers of github.com/gorilla/websocket in
// bytes. A [basin.Pool] of any is a websocket.BufferPool; with [Size] it knows how large
// the buffers are:
//
//	var upgrader = websocket.Upgrader{
//		WriteBufferSize: 4096,
//		WriteBufferPool: &basin.Pool[any]{Name: "websocket", Size: basinwebsocket.Size, MaxIdle: 4 << 20},
//	}
//
// A connection has a buffer only while it writes a message. One pool serves connections of
// one WriteBufferSize: a connection takes whatever it gets.
//
// Buffers have what was written last until the next message overwrites it. Nothing else
// ever reads them.
package basinwebsocket

import "reflect"

// Size returns how many bytes the array of a write buffer has. For a value that is
// no write buffer it returns -1, so that the pool does not keep it.
//
// The buffers are values of an unexported struct whose only field is the slice, which is
// why this is done by package reflect. It does not allocate.
func Size(buffer any) int {
	v := reflect.ValueOf(buffer)
	if v.Kind() != reflect.Struct || v.NumField() != 1 || v.Field(0).Kind() != reflect.Slice {
		return -1
	}
	return v.Field(0).Cap()
}
