package demo

import (
	"net"
	"net/rpc"
	"testing"

	"github.com/basin-go/basin/lab/internal/child"
)

// TestStranger has another program of this machine connect to the port of the load generator.
func TestStranger(t *testing.T) {
	t.Parallel()
	b, stop, err := StartBackend(t.Context(), corpusOf(t, map[string]string{"a": "a"}), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	wrong := b.Load
	wrong.Secret[31]++
	for _, tt := range []struct {
		name     string
		dial     func() (*rpc.Client, error)
		answered bool
	}{
		{"no secret", func() (*rpc.Client, error) { return rpc.Dial("tcp", b.Load.Addr) }, false},
		{"zero secret", child.Address{Addr: b.Load.Addr}.Dial, false},
		{"another secret", wrong.Dial, false},
		{"the secret", b.Load.Dial, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, err := tt.dial()
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if err := client.Call("Load.Forget", "127.0.0.1:1", &struct{}{}); (err == nil) != tt.answered {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("half a secret", func(t *testing.T) {
		conn, err := net.Dial("tcp", b.Load.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.Write(b.Load.Secret[:16])
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("it says %d bytes", n)
		}
	})
}
