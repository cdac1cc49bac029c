package advise

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Verdicts of pools, the gravest first.
const (
	PoolMisused  Verdict = "misused"
	PoolUneven   Verdict = "Gets without Puts"
	PoolMisses   Verdict = "misses"
	PoolGiants   Verdict = "holds giants"
	PoolUnneeded Verdict = "not needed"
	PoolGood     Verdict = "keep it"

	PoolUnlimited Verdict = "has no limit" // of a sync.Pool
)

// figures are the part of basin.Stats that this package reads.
type figures struct {
	ID   uint64 `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	counts
	Items   holdings `json:"items"`
	Bytes   holdings `json:"bytes"`
	Classes []class  `json:"classes"`
}

type counts struct {
	Gets, Hits, Misses, Outside, Puts, Adopted, Trimmed uint64

	Drops          drops  `json:"drops"`
	HandedOutBytes uint64 `json:"handed_out_bytes"`
	OutsideBytes   uint64 `json:"outside_bytes"`

	Misuse map[string]uint64 `json:"misuse"` // by kind
}

type drops struct{ Small, Large, Foreign, Misaligned, Double, Full, Checked uint64 }

type holdings struct {
	InUse    int64 `json:"in_use"`
	Idle     int64 `json:"idle"`
	MaxIdle  int64 `json:"max_idle"`
	MaxInUse int64 `json:"max_in_use"`
}

type class struct {
	Size  int64    `json:"size"`
	Gets  uint64   `json:"gets"`
	Bytes holdings `json:"bytes"`
}

// A reading has the figures of all pools of a program at one time.
type reading struct {
	Started  time.Time `json:"started"`
	Time     time.Time `json:"time"`
	Pools    []figures `json:"pools"`
	Checking *struct {
		Sites []struct {
			Pool              string
			Items             int64
			Gets, Puts, Leaks uint64
			Stack             []string
		}
		Found []struct {
			Kind, Pool string
			Count      uint64
			Here       []string
		}
	} `json:"checking"`
}

const maxFigures = 64 << 20

// readPools reads the JSON of basinhttp, or of package expvar with the variable of
// basinexpvar.
func readPools(from io.Reader) (*reading, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxFigures+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFigures {
		return nil, fmt.Errorf("this is larger than %d MiB", maxFigures>>20)
	}
	r := new(reading)
	if json.Unmarshal(data, r) == nil && r.Pools != nil {
		return r, nil
	}
	if json.Unmarshal(data, &r.Pools) == nil && r.Pools != nil {
		return r, nil
	}
	var vars map[string]json.RawMessage
	if json.Unmarshal(data, &vars) == nil {
		for _, v := range vars {
			var pools []figures
			if bytes.HasPrefix(v, []byte("[")) && json.Unmarshal(v, &pools) == nil && len(pools) > 0 && pools[0].Kind != "" {
				return &reading{Pools: pools}, nil
			}
		}
	}
	return nil, errors.New("these are no figures of basin: take them from /debug/basin/?format=json, or from /debug/vars with basinexpvar")
}

// since returns the counts after an earlier reading of the same process, and the time between them. Without such a
// reading it returns all counts.
func (f *figures) since(before, now *reading) (c counts, d time.Duration) {
	c, d = f.counts, now.Time.Sub(now.Started)
	if before == nil || !before.Started.Equal(now.Started) {
		return c, d
	}
	for _, b := range before.Pools {
		if b.ID != f.ID || f.ID == 0 || b.Gets > c.Gets {
			continue
		}
		c.Gets, c.Hits, c.Misses, c.Outside = c.Gets-b.Gets, c.Hits-b.Hits, c.Misses-b.Misses, c.Outside-b.Outside
		c.Puts, c.Adopted, c.Trimmed = c.Puts-b.Puts, c.Adopted-b.Adopted, c.Trimmed-b.Trimmed
		c.HandedOutBytes, c.OutsideBytes = c.HandedOutBytes-b.HandedOutBytes, c.OutsideBytes-b.OutsideBytes
		c.Drops.Full, c.Drops.Checked = c.Drops.Full-b.Drops.Full, c.Drops.Checked-b.Drops.Checked
		c.Drops.Large, c.Drops.Small = c.Drops.Large-b.Drops.Large, c.Drops.Small-b.Drops.Small
		return c, now.Time.Sub(before.Time)
	}
	return c, d
}

// Limits of the verdicts of pools.
const (
	fewGets    = 1000 // below it, shares mean nothing
	manyMisses = 0.1
	manyLost   = 0.05
	giantShare = 0.5  // of the idle bytes are in rare classes
	giantGets  = 0.01 // of the Gets, at most, ask for rare classes
)

// judge judges the pools of a program, by the counts since an earlier reading if there
// is one.
func (now *reading) judge(before *reading) (all []*Pool) {
	for i := range now.Pools {
		if !now.Pools[i].isLimit() {
			all = append(all, now.Pools[i].judge(before, now))
		}
	}
	slices.SortStableFunc(all, func(a, b *Pool) int { return cmp.Compare(rank(a.Verdict), rank(b.Verdict)) })
	return all
}

// isLimit reports whether the figures are those of a Limit, which is no pool.
func (f figures) isLimit() bool { return f.Kind == "Limit" }

func rank(v Verdict) int {
	return slices.Index([]Verdict{PoolMisused, PoolUneven, PoolMisses, PoolGiants, PoolUnneeded, PoolGood}, v)
}

func (f *figures) judge(before, now *reading) *Pool {
	c, d := f.since(before, now)
	p := &Pool{Name: f.Name, Kind: f.Kind, Gets: c.Gets, Hits: c.Hits}
	share := func(n uint64) float64 { return float64(n) / float64(max(c.Gets, 1)) }
	f.judgeMisuse(p, now, share)
	if c.Gets >= fewGets {
		f.judgeBalance(p, c, now)
		f.judgeMisses(p, c, share)
	}
	f.judgeGiants(p)
	saved := float64(c.HandedOutBytes) * share(c.Hits) / max(d.Seconds(), 1)
	limits := strings.HasPrefix(f.Kind, "FixedPool") || f.Bytes.MaxInUse > 0 || f.Items.MaxInUse > 0 ||
		slices.ContainsFunc(now.Pools, figures.isLimit) // which may be that of this pool
	switch {
	case limits:
	case c.Gets == 0 && (before != nil || d > time.Minute):
		p.say(PoolUnneeded, "Nobody asked it for anything in %s.", seconds(d.Seconds()))
	case d > 0 && c.HandedOutBytes > 0 && saved < rareBytes:
		p.say(PoolUnneeded, "It saves %s a second, which no collector notices.", bytesText(saved))
	}
	switch {
	case p.Verdict != "":
	case c.Gets == 0:
		p.say(PoolGood, "Nobody has asked it for anything.")
	default:
		p.say(PoolGood, "It serves %s of %d Gets with recycled memory.", percent(share(c.Hits)), c.Gets)
	}
	return p
}

// judgeMisuse says whether checks have found misuse, or Puts were no good.
func (f *figures) judgeMisuse(p *Pool, now *reading, share func(uint64) float64) {
	found := uint64(0)
	for kind, n := range f.Misuse {
		if kind != "leak" {
			found += n
		}
	}
	if now.Checking != nil {
		for _, m := range now.Checking.Found {
			if m.Pool == f.Name && len(m.Here) > 0 && m.Kind != "leak" {
				p.Places = append(p.Places, m.Kind+" in "+m.Here[0])
			}
		}
	}
	switch wrong := f.Drops.Foreign + f.Drops.Misaligned + f.Drops.Double; {
	case found > 0:
		p.say(PoolMisused, "Checks have found misuse of it.")
	case f.Drops.Double > 0 || share(wrong) > manyLost/5 && f.Adopted == 0:
		p.say(PoolMisused, "Of the slices that were put, %d were idle already and %d were no slices of a pool; BASIN_CHECK=full says where.", f.Drops.Double, f.Drops.Foreign+f.Drops.Misaligned)
	}
}

// judgeBalance looks for memory that is got and never put back. Memory in use at a time
// is no fault.
func (f *figures) judgeBalance(p *Pool, c counts, now *reading) {
	unput := int64(c.Gets-c.Outside) - int64(c.Puts+c.Drops.Large+c.Drops.Small)
	if float64(unput) <= manyLost*float64(c.Gets) || unput < fewGets/10 {
		return
	}
	p.say(PoolUneven, "Of %d Gets, %d were not put back: their memory is garbage, or still in use.", c.Gets, unput)
	if now.Checking == nil {
		p.Reasons = append(p.Reasons, "BASIN_CHECK=sampled shows the places.")
		return
	}
	for _, s := range now.Checking.Sites {
		if s.Pool == f.Name && len(s.Stack) > 0 && float64(s.Gets)-float64(s.Puts) > manyLost*float64(s.Gets) {
			p.Places = append(p.Places, fmt.Sprintf("%d Gets, %d Puts, %d leaks: %s", s.Gets, s.Puts, s.Leaks, s.Stack[0]))
		}
	}
}

func (f *figures) judgeMisses(p *Pool, c counts, share func(uint64) float64) {
	if outside := share(c.Outside); outside > manyMisses {
		p.say(PoolMisses, "%s of its Gets, %s in all, are larger than MaxSize or had no room: raise MaxSize, or do not pool them.", percent(outside), bytesText(float64(c.OutsideBytes)))
	}
	if missed := share(c.Misses); missed > manyMisses && c.Drops.Checked < c.Misses/2 && p.Verdict != PoolUneven {
		cause := "More is in use at a time than comes back in time."
		switch {
		case c.Drops.Full > c.Misses/2:
			cause = "Puts go beyond MaxIdle, or MaxItems: raise that."
		case c.Trimmed > c.Misses/2:
			cause = "Idle memory is released before it is needed: raise IdleTime, or the memory limit."
		}
		p.say(PoolMisses, "%s of its Gets allocate. %s", percent(missed), cause)
	}
}

// judgeGiants looks for idle memory of sizes that hardly anybody asks for.
func (f *figures) judgeGiants(p *Pool) {
	var idle, gets int64
	for _, c := range f.Classes {
		idle += c.Bytes.Idle
		gets += int64(c.Gets)
	}
	if gets < fewGets || idle < rareBytes {
		return
	}
	var rareIdle, rareGets, least int64
	for _, c := range slices.Backward(f.Classes) {
		if float64(rareGets+int64(c.Gets)) > giantGets*float64(gets) {
			break
		}
		rareIdle, rareGets, least = rareIdle+max(c.Bytes.Idle, 0), rareGets+int64(c.Gets), c.Size
	}
	if float64(rareIdle) > giantShare*float64(idle) {
		p.say(PoolGiants, "%s of its %s idle are in slices of %s and more, which %s of all Gets ask for: lower MaxSize.",
			bytesText(float64(rareIdle)), bytesText(float64(idle)), bytesText(float64(least)), percent(float64(rareGets)/float64(gets)))
	}
}
