// Package basinwebsocket limits the memory of idle write buffers of
// github.com/gorilla/websocket. A [basin.Pool] of any is a websocket.BufferPool. With [Size] it
// knows the size of its buffers:
//
//	var upgrader = websocket.Upgrader{
//		WriteBufferSize: 4096,
//		WriteBufferPool: &basin.Pool[any]{Name: "websocket", Size: basinwebsocket.Size, MaxIdle: 4 << 20},
//	}
//
// A connection has a buffer only while it writes a message. All connections of a pool must have
// the same WriteBufferSize, because a connection uses any buffer that it gets.
//
// An idle buffer contains the last message until the next one overwrites it. Nothing else ever
// reads it.
package basinwebsocket

import "reflect"

// Size returns the capacity of a write buffer in bytes. For any other value it returns -1, so
// that the pool does not keep it.
//
// The buffers are values of an unexported struct whose only field is the slice, so Size uses
// package reflect. It does not allocate.
func Size(buffer any) int {
	v := reflect.ValueOf(buffer)
	if v.Kind() != reflect.Struct || v.NumField() != 1 || v.Field(0).Kind() != reflect.Slice {
		return -1
	}
	return v.Field(0).Cap()
}
