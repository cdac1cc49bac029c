//go:build go1.25

package main

import (
	"fmt"

	"github.com/basin-go/basin/basinscope"
	"github.com/expr-lang/expr/parser"
)

func answer() string {
	var c counter
	var s basinscope.Scope
	defer s.End()
	for _, rule := range rules {
		c.count(&parser.Parser{Scope: &s}, rule)
	}
	return fmt.Sprint(c.nodes, c.names.String())
}
