// Package advise names the lines of a program where pooling pays, from a heap profile, and
// those where it does not.
//
//	profile.go   file, server (fetch.go) or benchmark (bench.go)
//	    │        samples, one at a time
//	heap.go      tallies by user line, kind (kind.go), size and stack (stacks.go); the difference of two
//	    │
//	report.go    sites: rates, histogram, age
//	    │        ┌─ source.go   the packages of the sites, as SSA, which load.go chooses; others.go: those of other modules,
//	    │        │              which get no patch; inner.go: functions that their module alone calls; tags.go: build tags;
//	    │        │              linecomments.go: code that tools make of templates
//	    │        ├─ find.go     the instruction of a site: allocation.go; largest.go: of several, that of most bytes;
//	    │        │              decode.go, destination.go, scan.go, printing.go, queries.go, reserve.go, boxed.go, filledmaps.go,
//	    │        │              roundvars.go, overwritten.go, sizehints.go, reservefields.go, laterroom.go, channels.go, timers.go and
//	    │        │              wholebuilders.go: another way than a pool; fieldgrowth.go: fields that grow at several lines
//	verdict.go ──┤
//	    │        ├─ leave.go    where its memory goes: a proof that it stays, or where it leaves (fate.go); join.go: goroutines
//	    │        │              that end before (joincounts.go: what groups count), or before a late Put (joinlate.go);
//	    │        │              sealed.go: methods of interfaces; systems.go: functions of other systems, and twins.go: how they use
//	    │        │              memory;
//	    │        │              misses.go and lent.go: memory that is pooled already, and lineage.go: by its stacks;
//	    │        │              kept.go: memory that a field keeps; once.go: memory that is made once;
//	    │        │              functionfields.go: function values in fields; messages.go and plain.go: decoders that copy
//	    │        └─ owners.go   callers that can put it, of structs that are apart (apart.go), too; copies.go: callers that
//	    │                       can have a copy, keepercopies.go: some of them, and clones.go: others; ends.go: methods that
//	    │                       may put it; exact.go: growth by append; visits.go: in function literals; scratch.go: structs
//	    │                       that do not leave their functions, and beginnings.go: slices in their fields
//	    │
//	    ├─ pools.go     basin's pools by their figures, and syncpools.go each sync.Pool by its source
//	    ├─ print.go     a table (summary.go: its first lines), or JSON, or a page (html.go)
//	    └─ patch.go     chooses the edit of a site: slices.go, buffers.go, grow.go, prefixed.go, loops.go, lift.go, pooling.go,
//	                    resettable.go, rows.go, borrow.go, preallocate.go, callers.go, ownstructs.go, fields.go, emptied.go, all of
//	                    which use mend.go; imports.go; putlate.go: behind a wait; early.go: uses before the first append,
//	                    bufferviews.go and bufferlen.go: uses of a Buffer's bytes, that allow no patch;
//	                    apply.go compiles that, and writes it as basin vet -fix does; verify.go tries it
//
// No proof, no edit: patch.go changes only memory that leave.go has followed to the end. Files use only files that stand
// higher here, without circles, which a test of proof/api holds.
//
// Touch it to follow memory through more: leave.go, and models.go for the standard library, whose functions are rows of
// internal/effects. Touch kind.go and find.go to find more allocations. A new patch is a function like those of loops.go
// and a case in patch.go. Each change needs lines in testdata with the verdict and the patch that they deserve.
package advise

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/basin-go/basin/vet/internal/rewrite"
	"github.com/basin-go/basin/vet/internal/usage"
)

// Interrupted is the exit status of Main if its context has ended, as after a signal.
const Interrupted = 130

// Main runs basin advise with the arguments after its name and returns its exit status.
func Main(ctx context.Context, args []string) int {
	return run(ctx, args, os.Stdout, os.Stderr)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	fs := flag.NewFlagSet("basin advise", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.DurationVar(&o.wait, "for", 30*time.Second, "`time` to watch a running program, if not 30s")
	fs.StringVar(&o.bench, "bench", "", "profile the benchmarks that match a `regexp`")
	fs.StringVar(&o.source, "source", ".", "`directory` of the program's module, if not this one")
	fs.StringVar(&o.tags, "tags", "", "build `tags`, separated by commas")
	fs.StringVar(&o.cpu, "cpu", "", "CPU profile in a `file`, for the collector's share")
	fs.StringVar(&o.pools, "pools", "", "figures of the program's basin pools: the JSON of basinhttp or expvar in a `file`")
	fs.IntVar(&o.top, "top", 20, "`number` of sites to print, if not 20, of those with 0.1 % of the bytes or more; 0 for all")
	fs.BoolVar(&o.asJSON, "json", false, "print JSON")
	fs.StringVar(&o.html, "html", "", "write a page to a `file`")
	fs.BoolVar(&o.diff, "diff", false, "print a patch")
	fs.BoolVar(&o.write, "write", false, "apply the patch")
	fs.BoolVar(&o.force, "force", false, "apply the patch to a tree with uncommitted changes too")
	fs.BoolVar(&o.verify, "verify", false, "build, vet, test and measure with the patch, without applying it")
	var names []string
	err := fs.Parse(args)
	for ; err == nil && fs.NArg() > 0; err = fs.Parse(fs.Args()[1:]) { // flags may follow the names
		names = append(names, fs.Arg(0))
	}
	if errors.Is(err, flag.ErrHelp) {
		io.WriteString(stdout, adviseUsage)
		usage.Flags(stdout, fs, usage.All)
		return 0
	} else if err != nil {
		fmt.Fprintf(stderr, "basin advise: %v; basin advise -help lists the flags\n", err)
		return 2
	}
	if err := o.advise(ctx, names, stdout, stderr); err != nil {
		if ctx.Err() != nil {
			return Interrupted
		}
		fmt.Fprintln(stderr, "basin advise:", err)
		return 2
	}
	return 0
}

func (o *options) advise(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if o.write && !o.force {
		if err := isCommitted(ctx, absolute(o.source)); err != nil {
			return err
		}
	}
	in, err := o.read(ctx, args, stderr)
	if err != nil {
		return err
	}
	r := newReport(in.heap)
	r.GCShare, r.Collections, r.Notes, r.Pools = in.gc, float64(in.collections), in.notes, in.pools
	if in.heap.rate == 1 {
		r.Notes = append(r.Notes, "The program records every allocation (runtime.MemProfileRate is 1), which slows it: its rates are lower than without.")
	}
	src, noSource := loadSource(ctx, o.source, o.tags, r.Sites)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.judge(src)
	r.noteSource(noSource)
	r.noteProfiler()
	var p *patch
	builder := new(rewrite.Builder)
	if src != nil {
		src.addEscapes(ctx, r.Sites)
		r.Pools = append(r.Pools, src.syncPools(r.Sites)...)
		p = src.patch(r)
		builder.Flags = src.flags
		if err := p.prepare(ctx, builder); err != nil {
			return err
		}
		r.noteCounted(p)
		r.noteBasin()
		r.tried = true
	}
	r.joinAlike(p)
	r.summarize()
	report := stdout
	if o.diff || o.verify {
		report = stderr // so that the patch alone can be piped into a tool
	}
	if err := o.print(r, report); err != nil {
		return err
	}
	switch {
	case !o.diff && !o.write && !o.verify:
		return nil
	case p == nil:
		return fmt.Errorf("there is no patch without source: %w", noSource)
	}
	return o.use(ctx, p, builder, stdout, stderr)
}

// noteSource adds notes about sites without source, and the error of loading it.
func (r *Report) noteSource(err error) {
	if err != nil {
		r.Notes = append(r.Notes, "Verdicts are without source: "+err.Error()+".")
	}
	var places []string
	for _, s := range r.Sites {
		if strings.HasSuffix(s.missing, stale) {
			places = append(places, fmt.Sprintf("%s:%d", base(s.File), s.Line))
		}
	}
	if n := len(places); n > 0 {
		if n > 3 {
			places = append(places[:3], "and others")
		}
		r.Notes = append(r.Notes, fmt.Sprintf("The source does not fit the profile at %s (%s): take a profile of the program as it is now, check out the version of the profile, or name the program's module with -source.", plural(n, "site"), strings.Join(places, ", ")))
	}
}

// noteBasin says how to add basin if sites lack a patch because the go command could not. The command has a line of its own.
func (r *Report) noteBasin() {
	if slices.ContainsFunc(r.Sites, func(s *Site) bool { return strings.HasSuffix(s.Reason, lacksBasin+".") }) {
		r.Notes = append(r.Notes, fmt.Sprintf("Sites lack a patch because the module does not require basin, and go get fails. Clone basin into ../basin, or name another folder here:\n"+
			"go mod edit -require=%s@v0.0.0 -replace=%[1]s=../basin", rewrite.Library))
	}
}

// use prints the patch, tries it or writes it.
func (o *options) use(ctx context.Context, p *patch, builder *rewrite.Builder, stdout, stderr io.Writer) error {
	dir := absolute(o.source)
	if len(p.packages) == 0 {
		fmt.Fprintln(stderr, "No site has a patch, so nothing is changed.")
		return nil
	}
	if o.diff {
		if err := p.diff(ctx, stdout, dir); err != nil {
			return err
		}
	}
	if o.verify {
		fmt.Fprintln(stderr, "Building, testing and measuring with the patch.")
		var text bytes.Buffer // which is no text for a pull request if a step fails
		if err := p.verify(ctx, builder, cmp.Or(o.bench, "."), o.profiled, &text); err != nil {
			return err
		}
		text.WriteTo(stdout)
	}
	if o.write {
		return p.write(ctx, dir, stderr)
	}
	return nil
}

func (o *options) print(r *Report, w io.Writer) error {
	if o.html != "" {
		var page bytes.Buffer
		if err := r.page(&page); err != nil {
			return err
		}
		if err := os.WriteFile(o.html, page.Bytes(), 0o666); err != nil {
			return err
		}
	}
	if o.asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.print(w, o.top)
}

func (o *options) read(ctx context.Context, args []string, stderr io.Writer) (in *input, err error) {
	switch {
	case o.bench != "":
		if len(args) > 1 {
			return nil, errors.New("-bench takes one package, because a profile is of one program; run it once for each")
		}
		pkg := append(args, ".")[0]
		if in, err = o.benchmark(ctx, pkg, stderr); err == nil {
			o.profiled, err = o.find(ctx, pkg)
		}
	case len(args) == 1 && strings.Contains(args[0], "://"):
		var s *server
		if s, err = newServer(args[0]); err != nil {
			return nil, err
		}
		if o.wait < time.Second || o.wait > 10*time.Minute {
			return nil, errors.New("-for must be 1s to 10m")
		}
		fmt.Fprintf(stderr, "Watching %s for %v.\n", printable(s.base), o.wait)
		in, err = s.take(ctx, o.wait)
	case len(args) == 1 || len(args) == 2:
		in = new(input)
		err = in.files(ctx, args)
	default:
		return nil, errors.New("name one profile or two, or an address such as http://localhost:6060/debug/pprof/; basin advise -help says more")
	}
	if err == nil && o.pools != "" {
		if err = in.poolsFile(o.pools); err != nil {
			err = fmt.Errorf("-pools: %w", err)
		}
	}
	if err == nil && o.cpu != "" {
		if err = withFile(ctx, o.cpu, func(p *profile) error { return in.cpu(ctx, p) }); err != nil {
			err = fmt.Errorf("-cpu: %w", err)
		}
	}
	return in, err
}
