//go:build go1.25

package check

// A Verdict is the result of checking a Put against the records.
type Verdict uint8

const (
	Unknown  Verdict = iota // no record: not handed out by this tracker, or long ago
	Accepted                // it was outstanding, and is put now
	Rejected                // it is misuse
	Unjudged                // its record is lost, by Stop or otherwise: it may have been outstanding
)
