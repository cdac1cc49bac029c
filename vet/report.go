package vet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Finding is a report of a check, as basin vet -json prints it. Positions are
// file:line:column, or file:line after a line directive that has no column.
type Finding struct {
	Check   string    `json:"check"`
	Package string    `json:"package"`
	Pos     string    `json:"pos"`
	End     string    `json:"end,omitempty"`
	Message string    `json:"message"`
	Related []Related `json:"related,omitempty"`
	Fixes   []Fix     `json:"fixes,omitempty"`
}

// Related is a place that has to do with a finding.
type Related struct {
	Pos     string `json:"pos"`
	End     string `json:"end,omitempty"`
	Message string `json:"message"`
}

// A Fix is a change of the source. Offsets are in bytes.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// An Edit replaces a part of a file.
type Edit struct {
	Filename string `json:"filename"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	New      string `json:"new"`
}

// split returns the parts of a position. The column is 0 if it is not known.
func split(pos string) (file string, line, column int) {
	file, last, ok := cutNumber(pos)
	if !ok {
		return pos, 0, 0
	}
	if rest, line, ok := cutNumber(file); ok {
		return rest, line, last
	}
	return file, last, 0
}

// cutNumber cuts a colon and a number off the end of a position.
func cutNumber(pos string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(pos, ':')
	if i < 0 {
		return pos, 0, false
	}
	n, err := strconv.Atoi(pos[i+1:])
	return pos[:i], n, err == nil
}

func (f Finding) file() string {
	file, _, _ := split(f.Pos)
	return file
}

func (f Finding) compare(g Finding) int {
	file, line, column := split(f.Pos)
	file2, line2, column2 := split(g.Pos)
	return cmp.Or(strings.Compare(file, file2), cmp.Compare(line, line2), cmp.Compare(column, column2), strings.Compare(f.Check, g.Check))
}

// parse reads the tool's output for the go command, among other lines.
//
// It reports as failed if a package could not be analyzed, with the reason in rest.
func parse(text string) (findings []Finding, rest string, failed bool, err error) {
	type diagnostic struct {
		Posn, End, Message string
		Fixes              []Fix `json:"suggested_fixes"`
		Related            []struct{ Posn, End, Message string }
	}
	for len(text) > 0 {
		line, after, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(line, "{") {
			if !strings.HasPrefix(line, "# ") {
				rest += line + "\n"
			}
			text = after
			continue
		}
		d := json.NewDecoder(strings.NewReader(text))
		var tree map[string]map[string]json.RawMessage
		if err := d.Decode(&tree); err != nil {
			return nil, "", false, fmt.Errorf("the go command printed no JSON: %v", err)
		}
		text = strings.TrimPrefix(text[d.InputOffset():], "\n")
		for pkg, checks := range tree {
			for check, raw := range checks {
				var ds []diagnostic
				if json.Unmarshal(raw, &ds) != nil {
					var failure struct{ Error string }
					if json.Unmarshal(raw, &failure) == nil {
						rest += fmt.Sprintf("%s: %s: %s\n", pkg, check, failure.Error)
						failed = true
					}
					continue
				}
				for _, d := range ds {
					f := Finding{Check: check, Package: pkg, Pos: d.Posn, End: d.End, Message: d.Message, Fixes: d.Fixes}
					for _, r := range d.Related {
						f.Related = append(f.Related, Related{r.Posn, r.End, r.Message})
					}
					findings = append(findings, f)
				}
			}
		}
	}
	return findings, rest, failed, nil
}

// short is a position relative to the working directory, if it is in there.
func short(pos string) string {
	wd, err := os.Getwd()
	if err != nil {
		return pos
	}
	if rel, err := filepath.Rel(wd, pos); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return pos
}

func printText(w io.Writer, findings []Finding) {
	for _, f := range findings {
		fmt.Fprintf(w, "%s: %s (%s)\n", short(f.Pos), f.Message, f.Check)
		for _, r := range f.Related {
			fmt.Fprintf(w, "\t%s: %s\n", short(r.Pos), r.Message)
		}
	}
}

func printJSON(w io.Writer, findings []Finding) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, f := range findings {
		if err := e.Encode(f); err != nil {
			return err
		}
	}
	return nil
}
