// Package basinhttp shows the pools of a running program on a web page.
package basinhttp
