package adopting

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basintest"
	"github.com/gorilla/websocket"
)

// TestCollect: no message is lost, and although all are kept, nearly none is in new memory. Checks find nothing.
func TestCollect(t *testing.T) {
	for _, checked := range []bool{false, true} {
		var pool basin.BytePool
		if checked {
			basintest.Check(t)
		}
		var kept [][]byte
		ended := make(chan error)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			ended <- Collect(conn, &pool, func(m []byte) { kept = append(kept, m) })
		}))
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http"), nil)
		if err != nil {
			t.Fatal(err)
		}
		const n = 200
		var sent [][]byte
		for i := range n {
			sent = append(sent, bytes.Repeat([]byte{'a' + byte(i%26)}, 3000))
			if err := conn.WriteMessage(websocket.BinaryMessage, sent[i]); err != nil {
				t.Fatal(err)
			}
		}
		conn.Close()
		if err := <-ended; err == nil {
			t.Error("the connection has not failed")
		}
		server.Close()
		if len(kept) != n {
			t.Fatalf("%d messages, want %d", len(kept), n)
		}
		for i, m := range kept {
			if !bytes.Equal(m, bytes.ToUpper(sent[i])) {
				t.Errorf("message %d: %.20q", i, m)
			}
		}
		if s := pool.Stats(); s.Items.InUse != 0 || !checked && s.Misses > n/10 {
			t.Errorf("checked %v: %v", checked, s)
		}
	}
}
