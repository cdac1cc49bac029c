//go:build !unix

package main

import "os/exec"

func leash(*exec.Cmd) (release func(), err error) { return func() {}, nil }
