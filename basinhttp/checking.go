package basinhttp

// Checking is what checked mode knows.
type Checking struct {
	// Sites are the places in the program that hold something of a pool, by what
	// they hold: those of what is never put back are leaks.
	Sites []Site `json:"sites"`
}

// A Site is what is in use of one pool and was got in one place.
type Site struct {
	Pool  string   `json:"pool"`  // its name
	Items int64    `json:"items"` // slices, buffers or values
	Bytes int64    `json:"bytes"`
	Stack []string `json:"stack"` // "function file:line", the innermost call first
}

// readChecking returns what checked mode knows, or nil if it is off.
func readChecking() *Checking { return nil }
