package paths

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/basin-go/basin/vet/internal/facts"
)

// An exit is the knowledge at the end of one path.
type exit struct {
	dead    map[argPath]*argPut
	excused map[int]bool // arguments that were not put because they are nil, or too large
	spared  map[int]bool // excused, though not nil
	chance  bool         // the path depends on which channels were ready
	last    facts.When   // IfError.. IfFalse of the last result, or Always if it is unknown
	results []alias
	shares  map[int]bool
}

type argPath struct {
	arg  int
	path string
}

func (a argPath) compare(b argPath) int { return cmp.Or(a.arg-b.arg, strings.Compare(a.path, b.path)) }

type argPut struct {
	at           token.Pos
	keeps, clear bool
	once         bool
	loses        []string
}

type alias struct {
	facts.Alias
	isAlias, get, nothing bool
	fields                map[string]facts.Field // of a new struct, by their paths
}

// exits are the ends of all paths of a function.
type exits []exit

// puts returns the arguments, and the memory to which they lead, that a function puts on returns that a caller can tell.
func (es exits) puts(root *ssa.Function) (puts []facts.Put) {
	all := map[argPath]bool{}
	for _, e := range es {
		for a := range e.dead {
			all[a] = true
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(all), argPath.compare) {
		when, ok := es.when(a)
		if !ok {
			continue
		}
		p := facts.Put{Arg: a.arg, Path: a.path, When: when, Keeps: true}
		for _, e := range es {
			d := e.dead[a]
			if d == nil {
				p.Once = p.Once || e.spared[a.arg] && a.path != "" && facts.Guarded(root)
				continue
			}
			p.SetAt(d.at)
			p.Once = p.Once || d.once
			p.Keeps = p.Keeps && d.keeps
			p.Clear = p.Clear || d.clear
			p.Loses = append(p.Loses, d.loses...)
		}
		slices.Sort(p.Loses)
		p.Loses = slices.Compact(p.Loses)
		puts = append(puts, p)
	}
	return puts
}

// gets returns the results that come from a pool on all paths, or are nothing.
func (es exits) gets() (results []int) {
	for i := range es[0].results {
		gets, others := 0, 0
		for _, e := range es {
			switch a := e.results[i]; {
			case a.nothing:
			case a.get:
				gets++
			default:
				others++
			}
		}
		if gets > 0 && others == 0 {
			results = append(results, i)
		}
	}
	return results
}

// fields returns the fields of new structs that results point at, which have the same memory on all paths with such a result.
func (es exits) fields() (found []facts.Field) {
	for i := range es[0].results {
		var same map[string]facts.Field
		for _, e := range es {
			a := e.results[i]
			switch {
			case a.nothing && a.fields == nil:
			case same == nil && len(a.fields) > 0:
				same = maps.Clone(a.fields)
			default:
				maps.DeleteFunc(same, func(path string, f facts.Field) bool { return a.fields[path] != f })
				if len(same) == 0 {
					same = map[string]facts.Field{}
				}
			}
		}
		for _, path := range slices.Sorted(maps.Keys(same)) {
			f := same[path]
			f.Result = i
			found = append(found, f)
		}
	}
	return found
}

// aliases has, for each result, an argument that it is or points into on some path.
func (es exits) aliases() (found []facts.Alias) {
	for i := range es[0].results {
		var first *alias
		same := true
		for _, e := range es {
			a := e.results[i]
			switch {
			case a.get:
				same = false
			case !a.isAlias:
			case first == nil:
				first = &a
			case first.Path != a.Path || first.Arg != a.Arg:
				same = false
			case a.Grown || a.Held:
				first = &a
			}
		}
		if first != nil && same {
			found = append(found, first.Alias)
		}
	}
	return found
}

// shareWhen tells on which returns others have an argument, if that can be told.
func (es exits) shareWhen(arg int) (facts.When, bool) {
	all := true
	var shared, kept [facts.IfFalse + 1]int
	for _, e := range es {
		if e.shares[arg] {
			shared[e.last]++
		} else {
			all = false
			kept[e.last]++
		}
	}
	if all {
		return facts.Always, true
	}
	return whenBy(shared, kept)
}

// when tells on which returns an argument has been put, if that can be told. A function may drop its argument because of its
// size, and still counts as one that puts it. But if it puts only what it refuses, its result says so.
func (es exits) when(a argPath) (facts.When, bool) {
	always, chance := true, false
	var put, kept, spared [facts.IfFalse + 1]int
	for _, e := range es {
		switch {
		case e.dead[a] != nil:
			put[e.last]++
		case e.excused[a.arg]:
			spared[e.last]++
			if e.chance {
				chance = true
				kept[e.last]++
			}
		default:
			always = false
			kept[e.last]++
		}
	}
	all := kept
	for w := range all {
		all[w] += spared[w]
	}
	if when, ok := whenBy(put, all); ok && (when == facts.IfError || when == facts.IfFalse) {
		return when, true
	}
	if always && !chance {
		return facts.Always, true
	}
	if when, ok := whenBy(put, kept); ok {
		return when, true
	}
	return facts.Always, always && len(es[0].results) == 0
}

// whenBy tells which result goes with a Put, if one does.
func whenBy(put, kept [facts.IfFalse + 1]int) (facts.When, bool) {
	if put[facts.Always]+kept[facts.Always] > 0 {
		return 0, false
	}
	for w := facts.IfError; w <= facts.IfFalse; w++ {
		others := 0
		for v := facts.IfError; v <= facts.IfFalse; v++ {
			if v != w {
				others += put[v]
			}
		}
		if put[w] > 0 && kept[w] == 0 && others == 0 {
			return w, true
		}
	}
	return 0, false
}
