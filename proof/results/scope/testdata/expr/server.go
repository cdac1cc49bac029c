//go:build go1.25

package main

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// rules are the rules of an alert or a price, 200 of them.
var rules = func() (all []string) {
	for i := range 200 {
		all = append(all, fmt.Sprintf(`user.age > %d && (order.total * 0.%d + order.shipping - %d) / 3 >= limit["class %d"] || any(order.items, {.price * .count > %d and .name contains "book"}) ? [1, 2, user.id] : {"a": %d, "b": not user.active}`, i%90, i%10, i, i%7, i, i))
	}
	return all
}()

type counter struct {
	nodes int
	names strings.Builder
}

func (c *counter) Visit(n *ast.Node) {
	c.nodes++
	if i, ok := (*n).(*ast.IdentifierNode); ok {
		c.names.WriteString(i.Value[:1])
	}
}

func (c *counter) count(p *parser.Parser, rule string) {
	tree, err := p.Parse(rule, nil)
	if err != nil {
		panic(err)
	}
	ast.Walk(&tree.Node, c)
}
