package chat_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basintest"
	"github.com/basin-go/basin/lab/examples/chat"
)

// serve serves a Hub. When the test ends, it has forgotten all clients.
func serve(t *testing.T) (*chat.Hub, string) {
	t.Helper()
	var hub chat.Hub
	var serving sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.Add(1)
		defer serving.Done()
		hub.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return &hub, "ws" + strings.TrimPrefix(server.URL, "http")
}

func dial(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// hears fails the test unless the next message is text.
func hears(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	_, message, err := conn.ReadMessage()
	if err != nil || string(message) != text {
		t.Fatalf("heard %q, %v; want %q", message, err, text)
	}
}

func TestBroadcast(t *testing.T) {
	basintest.Check(t)
	_, url := serve(t)
	var clients []*websocket.Conn
	for range 5 {
		c := dial(t, url)
		// A client that hears itself has been added.
		c.WriteMessage(websocket.TextMessage, []byte("hello"))
		for _, other := range append(clients, c) {
			hears(t, other, "hello")
		}
		clients = append(clients, c)
	}
	for i, c := range clients {
		text := fmt.Sprintf("message %d %s", i, strings.Repeat("x", 10_000*i))
		c.WriteMessage(websocket.TextMessage, []byte(text))
		for _, other := range clients {
			hears(t, other, text)
		}
	}
	for len(clients) > 0 {
		clients[0].Close()
		clients = clients[1:]
		for _, c := range clients {
			c.WriteMessage(websocket.TextMessage, []byte("still here"))
			for _, other := range clients {
				hears(t, other, "still here")
			}
		}
	}
}

func TestMessageTooLarge(t *testing.T) {
	basintest.Check(t)
	_, url := serve(t)
	c := dial(t, url)
	c.WriteMessage(websocket.TextMessage, make([]byte, 65<<10))
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Errorf("got %v, want the connection closed for a message too big", err)
	}
}

// TestSlow: whoever does not read is removed, and everything sent to him is recycled.
func TestSlow(t *testing.T) {
	basintest.Check(t)
	hub, url := serve(t)
	slow := dial(t, url)
	slow.WriteMessage(websocket.TextMessage, []byte("hello"))
	hears(t, slow, "hello")
	for range 1000 { // far more than his queue and the network hold
		hub.Broadcast(basin.Default().NewShared(basin.Get(64 << 10)))
	}
	slow.Close()
}

func TestNoWebSocket(t *testing.T) {
	basintest.Check(t)
	w := httptest.NewRecorder()
	new(chat.Hub).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusBadRequest {
		t.Errorf("status %d, want 400", w.Code)
	}
}
