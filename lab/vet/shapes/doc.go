// Package shapes retells real bugs of pools, each in a few lines beside correct code
// that looks nearly the same. Its test counts the shapes that the analyzers find.
package shapes
