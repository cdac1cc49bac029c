package advise

import (
	"strconv"
	"strings"
)

// The stacks of a place say for whom it allocates. A frame is a function and its line, as in "example.com/a.f:12".

// Bounds of the stacks of a place, of which the first are kept.
const (
	maxStacks = 48
	maxFrames = 24

	maxTexts = 1 << 15 // of all places together
)

// stack returns the frames of a sample in lines, from a function at a line outwards. It is empty for other functions. The text is
// valid until the next call.
func (p *profile) stack(locations []uint64, function string, line int64) []byte {
	p.frames = p.frames[:0]
	frames := 0
	for _, id := range locations {
		for _, l := range p.locations[id] {
			name := plain(p.string(p.functions[l.function].name))
			if frames == 0 && (name != function || l.line != line) {
				continue
			}
			if frames++; frames > maxFrames {
				return p.frames
			}
			p.frames = append(append(p.frames, name...), ':')
			p.frames = append(strconv.AppendInt(p.frames, l.line, 10), '\n')
		}
	}
	return p.frames
}

// A frame is a function of a stack, and its line there.
type frame struct {
	function string
	line     int
}

// framesOf returns the frames of a stack.
func framesOf(stack string) (frames []frame) {
	for text := range strings.Lines(stack) {
		text = strings.TrimSuffix(text, "\n")
		i := strings.LastIndexByte(text, ':')
		line, err := strconv.Atoi(text[i+1:])
		if err != nil {
			return frames
		}
		frames = append(frames, frame{text[:i], line})
	}
	return frames
}

// A stackSet has each stack of a profile once.
type stackSet map[string]string

// text returns the text of a stack, or nothing if there are too many.
func (all stackSet) text(stack []byte) string {
	text, ok := all[string(stack)]
	if !ok && len(all) < maxTexts {
		text = string(stack)
		all[text] = text
	}
	return text
}

// addStack adds bytes to those of a stack.
func addStack(stacks map[string]int64, stack string, n int64) {
	if _, ok := stacks[stack]; stack != "" && (ok || len(stacks) < maxStacks) {
		stacks[stack] += n
	}
}
