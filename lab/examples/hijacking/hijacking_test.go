package hijacking

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestUpgrade(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, r, out, err := Upgrade(w, "lines")
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			out.WriteString(line)
			out.Flush()
		}
	}))
	defer s.Close()
	for _, early := range []string{"", "early\n"} {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: lines\r\n\r\n"+early)
		in := bufio.NewReader(c)
		answer, err := http.ReadResponse(in, nil)
		if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("answer %v, %v", answer, err)
		}
		io.WriteString(c, "late\n")
		got := make([]byte, len(early)+5)
		if _, err := io.ReadFull(in, got); string(got) != early+"late\n" {
			t.Errorf("got %q, %v", got, err)
		}
		c.Close()
	}
}
