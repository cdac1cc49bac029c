//go:build go1.25

package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"net"

	"golang.org/x/crypto/ssh"
)

// The server answers requests to keep the connection alive.
func serve(l net.Listener) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return err
	}
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.AddHostKey(signer)
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			_, channels, requests, err := ssh.NewServerConn(c, config)
			if err != nil {
				return
			}
			go func() {
				for c := range channels {
					c.Reject(ssh.Prohibited, "")
				}
			}()
			for r := range requests {
				r.Reply(true, nil)
			}
		}()
	}
}

func connect(addr string) (func() error, error) {
	c, err := ssh.Dial("tcp", addr, &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	return func() error {
		ok, _, err := c.SendRequest("keepalive@example.com", true, nil)
		if !ok {
			return fmt.Errorf("refused: %w", err)
		}
		return err
	}, err
}
