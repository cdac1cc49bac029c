// Package usage prints the flags of a command.
//
// Touch it for how flags are shown. Each command has its own text.
package usage

import (
	"flag"
	"fmt"
	"io"
	"text/tabwriter"
)

// Flags prints a line for each flag that a function wants.
func Flags(w io.Writer, fs *flag.FlagSet, want func(*flag.Flag) bool) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fs.VisitAll(func(f *flag.Flag) {
		if !want(f) {
			return
		}
		name, text := flag.UnquoteUsage(f)
		if f.DefValue == "true" {
			name = "=false"
		} else if name != "" {
			name = " " + name
		}
		fmt.Fprintf(table, "   -%s%s\t%s\n", f.Name, name, text)
	})
	table.Flush()
}

// All wants every flag.
func All(*flag.Flag) bool { return true }
