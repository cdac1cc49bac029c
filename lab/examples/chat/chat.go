// Package chat sends each message from a WebSocket to all others, from one array.
package chat

import (
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/adapters/basinwebsocket"
)

const (
	maxMessage = 64 << 10 // bytes
	maxQueue   = 64       // messages that a client may be behind
	maxWrite   = 10 * time.Second
)

// A Hub is a chat: an http.Handler that clients connect to. The zero Hub is ready.
type Hub struct {
	mu      sync.Mutex
	clients map[*client]struct{}
}

type client struct {
	conn  *websocket.Conn
	queue chan *basin.Shared
}

// Broadcast sends message to all clients, and releases the caller's reference.
func (h *Hub) Broadcast(message *basin.Shared) {
	defer message.Release()
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		select {
		case c.queue <- message.Retain(): // write releases it
		default:
			message.Release()
			h.remove(c) // too slow; waiting for one would hold up all
		}
	}
}

// write sends the messages of the queue, until the queue is closed.
func (c *client) write() {
	defer c.conn.Close()
	var err error
	for message := range c.queue {
		if err == nil { // else only empty the queue
			c.conn.SetWriteDeadline(time.Now().Add(maxWrite))
			if err = c.conn.WriteMessage(websocket.TextMessage, message.Bytes()); err != nil {
				c.conn.Close() // ends ServeHTTP, which removes the client
			}
		}
		message.Release()
	}
}

var upgrader = websocket.Upgrader{
	// Each connection has a write buffer only while it writes. The buffers are
	// values of an unexported type of that module, so this is a Pool[any].
	WriteBufferPool: &basin.Pool[any]{Name: "websocket writes", Size: basinwebsocket.Size, MaxIdle: 4 << 20},
}

// ServeHTTP broadcasts the client's messages, until it leaves.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	conn.SetReadLimit(maxMessage)
	c := &client{conn, make(chan *basin.Shared, maxQueue)}
	h.add(c)
	var writing sync.WaitGroup
	writing.Go(c.write)
	for {
		_, in, err := conn.NextReader()
		if err != nil {
			break
		}
		message, err := basin.ReadAll(in)
		if err != nil {
			break // ReadAll has put its slice
		}
		h.Broadcast(basin.Default().NewShared(message)) // message is the Shared's now
	}
	h.mu.Lock()
	h.remove(c)
	h.mu.Unlock()
	writing.Wait()
}

func (h *Hub) add(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.clients == nil {
		h.clients = map[*client]struct{}{}
	}
	h.clients[c] = struct{}{}
}

// remove closes the queue of c, unless that has been done. h.mu is held.
func (h *Hub) remove(c *client) {
	if _, ok := h.clients[c]; ok {
		delete(h.clients, c)
		close(c.queue)
	}
}
