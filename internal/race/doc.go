// Package race tells the race detector what it cannot see.
package race
