'use strict';
// Asks for reports (see basinhttp.Report), adds them to the history of each pool and updates the
// document. Everything from a report becomes text, never markup.

const FEW = 300;          // seconds of history, if the program keeps none
const MOMENTS = 1200;     // kept of a history, older ones with more time between them
const RATE_SPAN = 5;      // seconds that a rate in the table is the mean of
const ROWS = 100;         // rows shown until more are asked for
const PATIENCE = 15000;   // ms until a request that is not answered counts as failed

const $ = id => document.getElementById(id);

// el makes an element: attributes as in HTML, or functions for events; children are elements or text.
function el(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (typeof value === 'function') e.addEventListener(name, value);
		else if (value !== undefined && value !== false && value !== 0) e.setAttribute(name, value === true ? '' : value);
	}
	e.append(...children.map(c => c.nodeType ? c : visible(c)));
	return e;
}

// text sets the text of e if it differs, since most figures stay as they are from one report to the next.
function text(e, s) { s = visible(s); if (e.textContent !== s) e.textContent = s; }
function title(e, s) { s = visible(s); if (e.title !== s) e.title = s; }
// visible writes the characters that turn text round, or that nobody sees, as Go does in strings.
function visible(s) { return String(s ?? '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, c => c === '\n' || c === '\t' ? c : '\\u' + c.codePointAt(0).toString(16).padStart(4, '0')); }
function bad(e, is) { e.classList.toggle('bad', is); }
function hide(e, hidden) { if (e.hidden !== hidden) e.hidden = hidden; }

// ---- How figures are written

const whole = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const unknown = -1; // basin.Unknown: a figure that pools of some kinds cannot know
const exact = n => n === unknown ? '–' : (Number.isSafeInteger(n) ? '' : '≈ ') + whole.format(n);

function scaled(n, base, units) {
	let i = 0;
	while (n >= base && i < units.length - 1) { n /= base; i++; }
	const digits = i === 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2;
	return n.toFixed(digits).replace(/\.0+$/, '') + units[i];
}
const bytes = n => n === unknown ? '–' : scaled(n, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB']);
function count(n) {
	if (n < 10 && n !== Math.round(n)) return n.toFixed(1);
	return n < 99999.5 ? whole.format(n) : scaled(n, 1000, ['', ' k', ' M', ' G', ' T', ' P']);
}
// percent rounds down, so that 100 % means all.
function percent(x) {
	if (!Number.isFinite(x)) return '–';
	const p = Math.round(x * 1e12) / 1e10; // 99.99999999999999 is 100
	const digits = p > 99 && p < 100 ? 2 : p >= 100 || p === 0 ? 0 : 1;
	const unit = 10 ** digits;
	return (Math.floor(p * unit + 1e-9) / unit).toFixed(digits) + ' %';
}
function duration(ns) {
	if (ns < 1e3) return ns + ' ns';
	if (ns < 1e6) return (ns / 1e3).toPrecision(3) + ' µs';
	if (ns < 1e9) return (ns / 1e6).toPrecision(3) + ' ms';
	return ns < 6e10 ? (ns / 1e9).toPrecision(3) + ' s' : whole.format(ns / 6e10) + ' min';
}
const clock = seconds => new Date(seconds * 1000).toLocaleTimeString('en-GB');
const shorten = (s, n) => s.length > n ? s.slice(0, n) + '…' : s;

// ---- History

// A History has the figures of one pool, or of all, moment by moment.
class History {
	constructor() {
		this.at = [];
		this.hits = [];    // per second
		this.misses = [];  // per second, those outside the pool included
		this.rate = [];    // of hits, in percent
		this.use = [];     // bytes; items, if a pool knows no bytes
		this.idle = [];
		this.waiting = [];
		this.refused = []; // per second
	}
	push(at, hits, misses, use, idle, waiting, refused) {
		this.at.push(at);
		this.hits.push(hits);
		this.misses.push(misses);
		this.rate.push(hits + misses > 0 ? 100 * hits / (hits + misses) : null);
		this.use.push(use);
		this.idle.push(idle);
		this.waiting.push(waiting);
		this.refused.push(refused);
		if (this.at[0] < at - span * 1.2) {
			const old = this.at.findIndex(t => t >= at - span);
			for (const column of Object.values(this)) column.splice(0, old);
		}
		if (this.at.length > MOMENTS) {
			for (const name of Object.keys(this)) this[name] = this[name].filter((_, i) => i % 2 || i > MOMENTS / 2);
		}
	}
	// gap interrupts the curves at a time without reports.
	gap(at) { this.push(at, null, null, null, null, null, null); }
	// lately returns the mean of a column over the last seconds, or null.
	lately(column) {
		let sum = 0, n = 0;
		for (let i = this.at.length - 1; i >= 0 && this.at[i] > this.at[this.at.length - 1] - RATE_SPAN; i--) {
			if (column[i] !== null) { sum += column[i]; n++; }
		}
		return n ? sum / n : null;
	}
	get gets() {
		const hits = this.lately(this.hits), misses = this.lately(this.misses);
		return hits === null ? null : hits + misses;
	}
	get hitRate() {
		const gets = this.gets;
		return gets > 0 ? this.lately(this.hits) / gets : null;
	}
}

const pools = new Map();   // by ID: {now, before, history, view}
let span = FEW;            // seconds of history
let past = null;           // by ID: the histories from before this page, once they have been asked for
let total = new History();
let report = null;         // the last one
let lastID = 0;            // the largest ID in it
const firstSites = new Map(); // bytes of each site when it was first seen

const seconds = r => Date.parse(r.time) / 1000;
const itemsOnly = s => s.bytes.idle === unknown;
const holdings = s => itemsOnly(s) ? s.items : s.bytes;
const inUse = s => holdings(s).in_use;
const idle = s => holdings(s).idle;
const maxIdle = s => holdings(s).max_idle;
const maxInUse = s => holdings(s).max_in_use;
const known = n => Math.max(0, n); // for sums
const ofLimit = s => s.kind === 'Limit'; // no pool: its memory is that of pools, so sums leave it out
const drops = s => Object.values(s.drops || {}).reduce((a, b) => a + b, 0);
const items = n => count(n) + (n === 1 ? ' item' : ' items');
const amount = s => itemsOnly(s) ? items : bytes;
const displayName = s => s.name || 'unnamed';
const outside = s => s.outside_in_use || {items: 0, bytes: 0};
const orNull = n => n === unknown ? null : n; // for curves
const leaks = s => (s.misuse || {}).leak || 0;
const misuse = s => Object.values(s.misuse || {}).reduce((a, b) => a + b, 0) - leaks(s);
const found = s => misuse(s) + leaks(s);
const lost = s => s.lost || {items: 0, bytes: 0};
const ofClass = c => c.full + c.double + (c.checked || 0); // drops that a size class knows of
const usage = s => ofLimit(s) ? 'of all pools under the limit' : 'handed out and not put back; ' + (s.kind === 'FixedPool' ? 'a buffer that is never put back stays in use'
	: s.bytes.max_in_use > 0 ? 'memory that is never put back becomes lost when the collector finds it'
		: 'without a MaxInUse, memory that is never put back stays in use, even after the collector has freed it');

function forget() {
	for (const p of pools.values()) drop(p);
	pools.clear();
	firstSites.clear();
	total = new History();
	report = past = null;
	lastID = 0;
}

// remember adds the history that the program kept before its report next.
function remember(kept, next) {
	past = new Map();
	if (kept.started !== next.started) return;
	span = Math.max(FEW, kept.span / 1e9);
	const moments = (kept.moments || []).filter(m => Date.parse(m.time) < Date.parse(next.time));
	let last = new Map(), lastAt = 0;
	for (const m of moments) {
		const at = Date.parse(m.time) / 1000, passed = at - lastAt, now = new Map();
		const sum = {hits: 0, misses: 0, use: 0, idle: 0, waiting: 0, refused: 0};
		for (const s of m.pools || []) {
			now.set(s.id, s);
			const before = last.get(s.id);
			const [hits, misses, refused] = before && passed > 0 ? perSecond(before, s, passed) : [null, null, null];
			if (!past.has(s.id)) past.set(s.id, new History());
			past.get(s.id).push(at, hits, misses, orNull(s.in_use), s.idle, s.waiting, refused);
			sum.hits += hits;
			sum.misses += misses;
			sum.refused += refused;
			sum.waiting += s.waiting;
			if (s.items || s.limit) continue;
			sum.use += known(s.in_use);
			sum.idle += known(s.idle);
		}
		const rate = n => lastAt ? n : null;
		total.push(at, rate(sum.hits), rate(sum.misses), sum.use, sum.idle, sum.waiting, rate(sum.refused));
		last = now;
		lastAt = at;
	}
	Object.assign(past, {last, at: lastAt}); // to compare the first report with
}

// perSecond returns hits, misses and refused requests per second.
function perSecond(before, now, passed) {
	return [now.hits - before.hits, now.gets - now.hits - before.gets + before.hits, now.refused - before.refused].map(n => Math.max(0, n) / passed);
}

// take adds a report to the histories.
function take(next, kept) {
	next.pools ||= [];
	if (report && (next.started !== report.started || seconds(next) <= seconds(report))) {
		const restarted = next.started !== report.started;
		forget();
		if (restarted) say('The program has been restarted');
	}
	if (kept) remember(kept, next);
	const at = seconds(next);
	const passed = report ? at - seconds(report) : 0;
	const gap = report && passed > Math.max(3 * interval() / 1000, 5);
	const sum = {hits: 0, misses: 0, use: 0, idle: 0, waiting: 0, refused: 0};
	const there = new Set();
	let largest = lastID;
	for (const s of next.pools) {
		there.add(s.id);
		largest = Math.max(largest, s.id);
		let p = pools.get(s.id);
		if (!p) pools.set(s.id, p = {now: s, before: null, history: past?.get(s.id) || new History(), view: null});
		p.before = p.now !== s ? p.now : s.id > lastID && report ? {hits: 0, gets: 0, outside: 0, refused: 0, drops: {}, classes: []} : null;
		p.now = s;
		let hits = null, misses = null, refused = null;
		const before = kept && past.last?.get(s.id) || passed > 0 && p.before;
		if (before) {
			[hits, misses, refused] = perSecond(before, s, passed || at - past.at);
			sum.hits += hits;
			sum.misses += misses;
			sum.refused += refused;
		}
		if (gap) p.history.gap(at - passed / 2);
		p.history.push(at, hits, misses, orNull(inUse(s)), idle(s), s.waiting, refused);
		sum.waiting += s.waiting;
		if (ofLimit(s)) continue;
		sum.use += known(s.bytes.in_use);
		sum.idle += known(s.bytes.idle);
	}
	for (const [id, p] of pools) {
		if (!there.has(id)) { drop(p); pools.delete(id); }
	}
	if (gap) total.gap(at - passed / 2);
	const rate = n => report || past?.at ? n : null;
	total.push(at, rate(sum.hits), rate(sum.misses), sum.use, sum.idle, sum.waiting, rate(sum.refused));
	lastID = largest;
	report = next;
	report.passed = passed;
}

// drop removes a pool that is gone from the page.
function drop(p) {
	if (!p.view) return;
	close(p);
	p.view.row.remove();
}

// ---- Curves

const colors = {};
function readColors() {
	const probe = el('span', {hidden: true});
	document.body.append(probe);
	for (const name of ['hit', 'miss', 'use', 'idle', 'bad', 'dim', 'grid']) {
		probe.style.color = `var(--${name})`;
		colors[name] = getComputedStyle(probe).color;
	}
	probe.remove();
}

const curves = new Set();
const sizes = new ResizeObserver(entries => {
	for (const e of entries) e.target.curve.setSize({width: e.contentRect.width, height: e.contentRect.height});
});
// times are where the horizontal axis has labels: round ones, as many as there is room for.
function times(u, _, from, to) {
	const width = u.bbox.width / devicePixelRatio;
	const step = [10, 15, 30, 60, 120, 300, 600, 1800, 3600].find(s => (to - from) / s * 65 <= width) || 4 * 3600;
	const at = [];
	for (let t = Math.ceil(from / step) * step; t <= to - (to - from) * 12 / width; t += step) at.push(t);
	return at;
}
const powers = Array.from({length: 60}, (_, i) => 2 ** i);

// Cards. Of each series: column of the History, color, name. The figure is the sum.
const CARDS = {
	gets: {title: 'Gets per second', series: [['hits', 'hit', 'hits'], ['misses', 'miss', 'misses']], format: count},
	refused: {title: 'Refused per second', series: [['refused', 'miss', 'refused']], format: count},
	rate: {title: 'Hit rate', series: [['rate', 'hit', 'hit rate']], format: p => percent(p / 100), max: 100},
	use: {title: 'In use', series: [['use', 'use', 'in use']], format: bytes, incrs: powers},
	idle: {title: 'Idle', series: [['idle', 'idle', 'idle']], format: bytes, incrs: powers},
	waiting: {title: 'Waiting', series: [['waiting', 'bad', 'waiting']], format: count},
};

// A Card has a figure and its curve.
class Card {
	constructor(kind, format) {
		const spec = CARDS[kind];
		this.kind = kind;
		this.spec = spec;
		this.format = format || spec.format;
		this.figure = el('span');
		this.note = el('span', {class: 'sub'});
		this.values = spec.series.map(() => el('b'));
		this.when = el('span');
		this.plot = el('div', {class: 'curve', role: 'img'});
		const swatch = {bad: 'wait'};
		this.element = el('div', {class: 'card'},
			el('h3', null, spec.title),
			el('div', {class: 'figure'}, this.figure, ' ', this.note),
			el('div', {class: 'keys'}, ...spec.series.map(([, color, name], i) =>
				el('span', null, el('i', {class: swatch[color] || color}), name + ' ', this.values[i])), this.when),
			this.plot);
	}
	draw() {
		const {series, incrs, max} = this.spec;
		const format = this.format;
		const axis = {
			stroke: () => colors.dim, font: '11px system-ui, sans-serif',
			grid: {stroke: () => colors.grid, width: 1}, ticks: {show: false},
		};
		const card = this;
		this.curve = new uPlot({
			width: this.plot.clientWidth || 200, height: this.plot.clientHeight || 118,
			padding: [8, 18, 0, 0],
			legend: {show: false},
			cursor: {y: false, drag: {x: false, y: false}, sync: {key: 'basin', setSeries: false}, points: {size: 6}},
			scales: {
				x: {time: true, range: () => card.span()},
				y: {range: (_, __, top) => [0, max || card.top(top)]},
			},
			axes: [
				{...axis, size: 26, gap: 7, splits: times, values: (_, at) => at.map(t => clock(t).slice(0, t % 60 ? 8 : 5))},
				{...axis, size: 54, gap: 4, space: 28, incrs: format === bytes ? incrs : max ? [25, 50] : undefined, values: (_, v) => v.map(x => max ? x + ' %' : (format === bytes ? bytes : count)(x))},
			],
			series: [{}, ...series.map(([, color]) => ({
				stroke: () => colors[color], width: 1.5, points: {show: (u, i) => u.data[0].length < 3, size: 4},
				fill: () => colors[color].replace('rgb(', 'rgba(').replace(')', ', 0.1)'),
			}))],
			hooks: {
				draw: [u => card.drawBound(u)],
				setCursor: [() => card.label()],
			},
		}, this.data(), this.plot);
		this.plot.curve = this.curve;
		sizes.observe(this.plot);
		curves.add(this.curve);
	}
	// span is the time shown: it grows until it is all the time kept.
	span() {
		const at = this.history.at;
		const end = at.length ? at[at.length - 1] : Date.now() / 1000;
		return [end - Math.min(span, Math.max(60, end - (at[0] || end))), end];
	}
	// top is where the vertical axis ends, with the bound in sight if it is near.
	top(most) {
		if (this.bound > 0 && most > this.bound * 0.4) return Math.max(most, this.bound) * 1.1;
		return most > 0 ? most * 1.15 : 1;
	}
	drawBound(u) {
		if (!(this.bound > 0) || this.bound > u.scales.y.max) return;
		const y = Math.round(u.valToPos(this.bound, 'y', true));
		const ctx = u.ctx;
		ctx.save();
		ctx.strokeStyle = colors.bad;
		ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
		ctx.lineWidth = devicePixelRatio;
		ctx.beginPath();
		ctx.moveTo(u.bbox.left, y);
		ctx.lineTo(u.bbox.left + u.bbox.width, y);
		ctx.stroke();
		ctx.restore();
	}
	data() { return [this.history.at, ...this.spec.series.map(([column]) => this.history[column])]; }
	// label writes the values at the cursor or, without one, the latest.
	label() {
		const pointed = this.curve && this.curve.cursor.idx;
		const i = pointed ?? this.history.at.length - 1;
		const values = this.spec.series.map(([column]) => this.history[column][i] ?? null);
		values.forEach((v, n) => text(this.values[n], v === null ? '–' : this.format(v)));
		text(this.when, pointed ? clock(this.history.at[i]) : '');
		const none = values.every(v => v === null), instead = none && !pointed && this.instead;
		text(this.figure, instead ? instead[0] : none ? '–' : this.format(values.reduce((a, b) => a + b)));
		text(this.note, instead ? instead[1] : this.aside);
	}
	// update shows a history, with an aside beside the figure, and a bound. If the last moment has no
	// figure, the card shows instead: another figure and its aside.
	update(history, aside, bound, instead) {
		Object.assign(this, {history, aside, bound, instead});
		if (this.curve) this.curve.setData(this.data());
		else this.draw();
		this.label();
		this.plot.setAttribute('aria-label', `Curve of ${this.spec.title.toLowerCase()}, now ${this.figure.textContent}`);
	}
	close() {
		if (!this.curve) return;
		sizes.unobserve(this.plot);
		curves.delete(this.curve);
		this.curve.destroy();
	}
}

const boundNote = (n, format) => n > 0 ? 'of ' + format(n) : '';
// useNote has the bound and the peak of the memory that s has in use.
function useNote(s, format) {
	const peak = itemsOnly(s) ? s.peak_in_use.items : s.peak_in_use.bytes;
	return [boundNote(maxInUse(s), format), peak > 0 ? (ofLimit(s) ? 'peak with reserved ' : 'peak ') + format(peak) : ''].filter(Boolean).join(', ');
}
// sinceStart is the figure of a hit rate's card while there are no requests.
const sinceStart = (hits, gets) => gets > 0 ? [percent(hits / gets), 'since the start'] : null;
const limited = s => ofLimit(s) || maxInUse(s) > 0 || s.waited > 0 || s.refused > 0;

const longestNote = ns => ns > 0 ? 'longest recent wait ' + duration(ns) : '';

// ---- All pools

const allCards = ['gets', 'rate', 'use', 'idle', 'waiting', 'refused'].map(kind => new Card(kind));
$('all').append(...allCards.map(c => c.element));

function showAll() {
	const all = [...pools.values()].map(p => p.now);
	const sum = f => all.reduce((n, s) => n + f(s), 0);
	const gets = sum(s => s.gets), hits = sum(s => s.hits);
	const [getsCard, rateCard, useCard, idleCard, waitingCard, refusedCard] = allCards;
	getsCard.update(total, '');
	rateCard.update(total, '', 0, sinceStart(hits, gets));
	useCard.update(total, report.garbage_bytes ? 'at least ' + bytes(report.garbage_bytes) + ' garbage' : '');
	idleCard.update(total, boundNote(sum(s => s.bytes.max_idle), bytes));
	const anyLimited = all.some(limited);
	for (const card of [waitingCard, refusedCard]) hide(card.element, !anyLimited);
	if (anyLimited) {
		waitingCard.update(total, longestNote(Math.max(...all.map(s => s.recent_longest_wait))));
		refusedCard.update(total, count(sum(s => s.refused)) + ' in all');
	}

	showTroubles();
	hide($('usage'), !all.some(s => s.kind !== 'FixedPool' && !ofLimit(s) && !(s.bytes.max_in_use > 0)));
	hide($('garbage'), !report.garbage);
	text($('garbage'), report.garbage);
	const go = report.go;
	const limits = all.filter(ofLimit).length;
	const facts = [
		[count(all.length - limits), all.length - limits === 1 ? 'pool' : 'pools'],
		...(limits ? [[count(limits), limits === 1 ? 'limit' : 'limits'], [bytes(sum(s => s.reserved)), 'reserved']] : []),
		[count(sum(drops)), 'drops'],
		...(all.some(s => lost(s).items) ? [[count(sum(s => lost(s).items)), 'lost']] : []),
		...(report.checking || all.some(found) ? [[estimate(count(sum(leaks))), 'leaks'], [count(sum(misuse)), 'misuse']] : []),
		[count(go.goroutines), 'goroutines'],
		[count(go.procs), 'GOMAXPROCS'],
		[bytes(go.heap_bytes), 'heap'],
		...(report.checking?.guard_bytes ? [[bytes(report.checking.guard_bytes), 'guarded']] : []),
		[bytes(go.memory_bytes), 'memory' + (go.memory_limit ? ` of ${bytes(go.memory_limit)} (${go.memory_limit_source === 'GOMEMLIMIT' ? 'GOMEMLIMIT' : 'container'})` : '')],
		[count(go.gc_cycles), 'GC cycles'],
	];
	$('facts').replaceChildren(...facts.flatMap(([n, what], i) => [i ? ' · ' : '', el('b', null, n), ' ' + what]), ` · ${go.version} · at ${clock(seconds(report))}`);
	text($('program'), report.program && 'of ' + report.program);
	document.title = report.program ? `Pools of ${visible(report.program)}` : 'Pools';
	const checking = report.checking;
	const off = isOff(checking);
	hide($('checks'), off);
	const leaked = checking ? (checking.found || []).reduce((n, f) => f.kind === 'leak' ? n + f.count * f.size : n, 0) : 0;
	text($('checks'), off ? '' : (checking.level === 'full'
		? 'Checks are on, at level full: each request gets new memory, so the hit rate is 0 %.'
		: `Checks are on, at level ${checking.level}: tracked requests get new memory, and count as misses.`)
		+ (leaked ? ` Leaks found: ${estimate(bytes(leaked))}, which the collector has freed. Pools with a MaxInUse count this memory as lost, all others still as in use.` : ''));
	text($('begins'), report.has_history ? `Curves show up to the last ${duration(span * 1e9)}, from the history that the program keeps.`
		: 'Curves begin when this page was opened, and show up to the last five minutes.');
	hide($('trim-all'), !report.can_trim);
}

// ---- Troubles

// TROUBLES begins with the worst. Of each: words for one pool, whether it has it, and the number and the words of all pools.
const TROUBLES = [
	['waiting', p => p.now.waiting > 0, p => p.now.waiting, 'waiting'],
	['refusing', p => p.history.lately(p.history.refused) > 0, p => p.now.refused, 'refused'],
	['misuse', p => misuse(p.now) > 0, p => misuse(p.now), 'misuse'],
	['put twice', p => p.now.drops.double > 0, p => p.now.drops.double, 'dropped as double'],
	['foreign', p => foreign(p.now) > 0, p => foreign(p.now), 'dropped as foreign or misaligned'],
	['leaks', p => leaks(p.now) > 0, p => leaks(p.now), 'leaked'],
	['lost', p => lost(p.now).items > 0, p => lost(p.now).items, 'lost'],
	['garbage', p => isGarbage(p) && report.garbage_bytes, () => report.garbage_bytes, 'garbage'],
	['at ceiling', p => atCeiling(p.now)],
	['beyond', p => p.now.beyond > 0, p => p.now.beyond, 'beyond a limit'],
	['refused', p => p.now.refused > 0],
	['garbage?', p => isGarbage(p) && !report.garbage_bytes, () => 0, 'in use may be garbage'],
];
const isGarbage = p => p.now.id === report.garbage_id;
// All of a FixedPool may be in use all the time.
const atCeiling = s => s.kind !== 'FixedPool' && maxInUse(s) > 0 && known(inUse(s)) + s.reserved >= 0.95 * maxInUse(s);
const foreign = s => s.drops.foreign + s.drops.misaligned;
// worst returns the index of the worst trouble of a pool, or the number of troubles.
function worst(p) {
	const i = TROUBLES.findIndex(([, has]) => has(p));
	return i < 0 ? TROUBLES.length : i;
}

function showTroubles() {
	const parts = [];
	for (const [, has, number, words] of TROUBLES) {
		const all = words ? [...pools.values()].filter(has) : [];
		if (!all.length) continue;
		const some = all.filter(p => !ofLimit(p.now)); // a request of a pool counts in each Limit that the pool lies in
		const n = Math.max(some.reduce((n, p) => n + number(p), 0), ...all.map(number));
		const most = (some.length ? some : all).reduce((a, b) => number(b) > number(a) ? b : a);
		const figure = words === 'garbage' ? bytes(n) : words === 'leaked' ? estimate(count(n)) : n ? count(n) : '';
		parts.push(parts.length ? ' · ' : '', `${figure} ${words} in `.trimStart(),
			el('a', {href: '#pool-' + most.now.id, click: e => { e.preventDefault(); visit(most); }}, shorten(displayName(most.now), 60)),
			some.length > 1 ? ` and ${some.length - 1} more` : '');
	}
	const e = $('troubles'), focused = e.contains(document.activeElement);
	hide(e, !parts.length);
	if (e.textContent === parts.map(x => x.textContent ?? x).join('')) return; // a link stays while somebody points at it
	e.replaceChildren(...parts);
	if (focused) e.querySelector('a')?.focus();
}

// visit shows a pool with its details.
function visit(p) {
	$('filter').value = '';
	sort = {by: 'trouble', rises: false};
	showHead();
	showPools(true);
	if (!p.view) return;
	if (!p.view.detail) open(p);
	p.view.cells.name.name.focus();
	p.view.row.scrollIntoView({block: 'center'});
}

// ---- The table of pools

// Columns: title, sort key, and whether small comes first.
const COLUMNS = {
	name: {title: 'Pool', key: p => displayName(p.now), rises: true},
	curve: {title: 'Recent gets/s'},
	gets: {title: 'Gets/s', key: p => p.history.gets ?? 0, hint: 'requests per second'},
	rate: {title: 'Hit rate', key: p => hitRate(p) ?? -1, hint: 'share served with a recycled item', rises: true},
	use: {title: 'In use', key: p => inUse(p.now), hint: 'handed out and not put back'},
	idle: {title: 'Idle', key: p => idle(p.now), hint: 'retained for the next request'},
	reserved: {title: 'Reserved', key: p => p.now.reserved, hint: 'held in advance by reservations under a Limit, and not in use'},
	waiting: {title: 'Waiting', key: p => p.now.waiting * 1e15 + p.now.waited, hint: 'requests that wait for room; below, all that ever waited'},
	refused: {title: 'Refused', key: p => p.now.refused, hint: 'got nothing: would not wait, gave up, or asked for too much'},
	beyond: {title: 'Beyond', key: p => p.now.beyond, hint: 'requests that went beyond a limit, because they can neither wait nor fail'},
	lost: {title: 'Lost', key: p => lost(p.now).items, hint: 'of pools with a MaxInUse: never put back, and garbage now; their room is free again'},
	drops: {title: 'Drops', key: p => drops(p.now), hint: 'put back and not retained; red if foreign, misaligned or put twice'},
	leaks: {title: 'Leaks', key: p => leaks(p.now), hint: 'tracked, never put back, and garbage now'},
	misuse: {title: 'Misuse', key: p => misuse(p.now), hint: 'found by checks, without leaks'},
};
let sort = {by: 'trouble', rises: false}; // no column: the worst first, and of equal ones those with the most requests
let limit = ROWS;
let columns = [];
const body = $('pools').tBodies[0];

function hitRate(p) {
	return p.history.hitRate ?? (p.now.gets ? p.now.hits / p.now.gets : null);
}

function showHead() {
	const checked = report && (report.checking || report.pools.some(found));
	const losing = report && report.pools.some(s => lost(s).items > 0);
	const limiting = report && report.pools.some(ofLimit), passing = report && report.pools.some(s => s.beyond > 0);
	const names = Object.keys(COLUMNS).filter(name => ({misuse: checked, leaks: checked, lost: losing, reserved: limiting, beyond: passing})[name] ?? true);
	if (names.join() !== columns.join()) {
		columns = names;
		for (const p of pools.values()) if (p.view) { drop(p); p.view = null; }
		$('pools').tHead.rows[0].replaceChildren(...columns.map(name => {
			const c = COLUMNS[name];
			if (!c.key) return el('th', {scope: 'col', role: 'columnheader', class: 'for-wide'}, el('span', {class: 'sub'}, c.title));
			return el('th', {scope: 'col', role: 'columnheader', 'data-column': name},
				el('button', {type: 'button', title: c.hint, click: () => sortBy(name)}, c.title));
		}));
	}
	for (const th of $('pools').tHead.rows[0].cells) {
		if (th.dataset.column === sort.by) th.setAttribute('aria-sort', sort.rises ? 'ascending' : 'descending');
		else th.removeAttribute('aria-sort');
	}
}

function sortBy(name) {
	sort = {by: name, rises: sort.by === name ? !sort.rises : !!COLUMNS[name].rises};
	showHead();
	showPools(true);
}

const collator = new Intl.Collator('en', {numeric: true});

function inOrder(list) {
	const key = COLUMNS[sort.by]?.key || (p => (TROUBLES.length - worst(p)) * 1e15 + (p.history.gets ?? 0));
	const keys = new Map(list.map(p => [p, key(p)]));
	const compare = sort.by === 'name' ? collator.compare : (a, b) => a - b;
	const sign = sort.rises ? 1 : -1;
	return list.sort((a, b) => sign * compare(keys.get(a), keys.get(b)) || a.now.id - b.now.id);
}

// held reports whether rows should keep their order, because somebody points at them.
const hovers = matchMedia('(hover: hover)');
const held = () => hovers.matches && body.matches(':hover') || body.querySelector('.name:focus-visible');
let shownOrder = [];

function showPools(anew) {
	const wanted = $('filter').value.trim().toLowerCase();
	const all = [...pools.values()];
	let list = all.filter(p => !wanted || (p.now.name + ' ' + p.now.kind).toLowerCase().includes(wanted));
	if (anew || !held()) {
		list = inOrder(list);
	} else {
		const place = new Map(shownOrder.map((p, i) => [p, i]));
		list.sort((a, b) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || a.now.id - b.now.id);
	}
	shownOrder = list;
	const visible = list.slice(0, limit);
	const kept = new Set(visible);
	for (const p of all) {
		if (p.view && !kept.has(p)) { close(p); p.view.row.remove(); }
	}
	let at = body.firstElementChild;
	const place = e => {
		if (e === at) at = at.nextElementSibling;
		else keepFocus(e, () => body.insertBefore(e, at));
	};
	for (const p of visible) {
		p.view ||= makeRow(p);
		showRow(p);
		place(p.view.row);
		if (p.view.detail) {
			showDetail(p);
			place(p.view.detail.row);
		}
	}
	while (at) { const next = at.nextElementSibling; at.remove(); at = next; }
	if (!visible.length) {
		body.append(el('tr', {role: 'row'}, el('td', {role: 'cell', class: 'nothing', colspan: columns.length},
			all.length ? 'No pool has this in its name or kind.' : 'No pool has been used yet.')));
	}
	text($('shown'), wanted ? `${exact(list.length)} of ${exact(all.length)}` : '');
	hide($('more'), list.length <= limit);
	text($('more'), `Show all ${exact(list.length)} pools, not only the first ${limit}`);
}

// keepFocus calls move, which moves e, and keeps the focus within e.
function keepFocus(e, move) {
	const focused = e.contains(document.activeElement) ? document.activeElement : null;
	move();
	if (focused) focused.focus({preventScroll: true});
}

function bar(...parts) {
	return el('span', {class: 'bar', 'aria-hidden': 'true'}, ...parts.map(name => el('i', {class: name})));
}
// fill sets how much of a bar its parts are.
function fill(e, ...shares) {
	shares.forEach((share, i) => {
		const width = (Math.min(1, Math.max(0, share || 0)) * 100).toFixed(1) + '%';
		if (e.children[i].style.width !== width) e.children[i].style.width = width;
	});
}

function makeRow(p) {
	const id = 'pool-' + p.now.id;
	const cells = {};
	const row = el('tr', {role: 'row', class: 'pool', id});
	for (const name of columns) {
		const c = cells[name] = {};
		const td = el('td', {role: 'cell'});
		if (name === 'name') {
			c.name = el('button', {type: 'button', class: 'name', 'aria-expanded': 'false', click: () => toggle(p), keydown: step});
			c.trouble = el('b', {class: 'bad'});
			c.kind = el('span');
			td.append(c.name, el('span', {class: 'sub'}, c.trouble, c.kind));
		} else if (name === 'curve') {
			const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
			svg.setAttribute('class', 'spark');
			svg.setAttribute('preserveAspectRatio', 'none');
			svg.setAttribute('viewBox', '0 0 100 30');
			svg.setAttribute('aria-hidden', 'true');
			c.path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
			svg.append(c.path);
			td.className = 'for-wide';
			td.append(svg);
		} else {
			c.value = el('span');
			c.sub = el('span', {class: 'sub'});
			td.append(el('span', {class: 'label', 'aria-hidden': 'true'}, COLUMNS[name].title), c.value);
			if (name === 'use') td.append(c.bar = bar('use', 'idle')); // the second part is reserved
			if (name === 'idle') td.append(c.bar = bar('idle'));
			if (name === 'rate') td.append(c.bar = bar('hit', 'miss'));
			td.append(c.sub);
		}
		row.append(td);
	}
	return {row, cells, detail: null};
}

function showRow(p) {
	const s = p.now, h = p.history, {cells} = p.view, format = amount(s);
	const name = cells.name.name;
	text(name, shorten(displayName(s), 200));
	name.classList.toggle('unnamed', !s.name);
	title(name, shorten(s.name, 1000));
	const trouble = TROUBLES[worst(p)]?.[0];
	text(cells.name.trouble, trouble ? trouble + ' ' : '');
	text(cells.name.kind, s.kind);
	title(cells.name.kind, s.kind);

	cells.curve.path.setAttribute('d', sparkline(h));
	text(cells.gets.value, h.gets === null || ofLimit(s) ? '–' : count(h.gets));
	text(cells.gets.sub, ofLimit(s) ? '' : count(s.gets) + ' in all');
	const rate = hitRate(p);
	text(cells.rate.value, percent(rate ?? NaN));
	fill(cells.rate.bar, rate, rate === null ? 0 : 1 - rate);
	text(cells.rate.sub, h.hitRate === null && s.gets ? 'since the start' : '');
	for (const [cell, n, bound, number] of [[cells.use, inUse(s), maxInUse(s), s.items.in_use], [cells.idle, idle(s), maxIdle(s), s.items.idle]]) {
		const none = ofLimit(s) && cell === cells.idle;
		text(cell.value, none ? '–' : format(n));
		title(cell.value, none ? '' : (itemsOnly(s) || n === unknown ? '' : `${exact(n)} bytes`)
			+ (ofLimit(s) ? '' : (itemsOnly(s) || n === unknown ? '' : ' in ') + exact(number) + (number === 1 ? ' item' : ' items')) + (n === unknown ? ' of unknown size' : '')
			+ (cell === cells.use ? ', ' + usage(s) : ''));
		text(cell.sub, none ? '' : cell === cells.use ? useNote(s, format) || 'no limit' : boundNote(bound, format) || 'no limit');
		hide(cell.bar, !(bound > 0));
		fill(cell.bar, ...(cell === cells.use ? [n / bound, s.reserved / bound] : [n / bound]));
		cell.bar.classList.toggle('full', cell === cells.use && atCeiling(s));
	}
	if (cells.reserved) text(cells.reserved.value, ofLimit(s) ? bytes(s.reserved) : '–');
	text(cells.waiting.value, s.waiting ? count(s.waiting) : s.waited ? '0' : '–');
	bad(cells.waiting.value, s.waiting > 0);
	text(cells.waiting.sub, s.waited ? count(s.waited) + ' waited' + (ofLimit(s) ? ', longest ' + duration(s.longest_wait) : '') : '');
	text(cells.refused.value, count(s.refused));
	bad(cells.refused.value, h.lately(h.refused) > 0);
	text(cells.refused.sub, h.lately(h.refused) > 0 ? count(h.lately(h.refused)) + '/s' : '');
	if (cells.beyond) {
		text(cells.beyond.value, count(s.beyond));
		bad(cells.beyond.value, s.beyond > 0);
	}
	if (cells.lost) {
		text(cells.lost.value, count(lost(s).items));
		bad(cells.lost.value, lost(s).items > 0);
		text(cells.lost.sub, lost(s).items ? bytes(lost(s).bytes) : '');
	}
	text(cells.drops.value, ofLimit(s) ? '–' : count(drops(s)));
	bad(cells.drops.value, foreign(s) + s.drops.double > 0);
	const dropRate = p.before && report.passed > 0 ? (drops(s) - drops(p.before)) / report.passed : 0;
	text(cells.drops.sub, dropRate > 0 ? count(dropRate) + '/s' : '');
	for (const [cell, n, words] of [[cells.misuse, misuse(s), count(misuse(s))], [cells.leaks, leaks(s), estimate(count(leaks(s)))]]) {
		if (!cell) continue;
		text(cell.value, ofLimit(s) ? '–' : words);
		bad(cell.value, n > 0);
	}
}

function sparkline(h) {
	const end = h.at[h.at.length - 1];
	const shown = Math.min(span, Math.max(60, end - h.at[0]));
	let most = 0;
	for (let i = 0; i < h.at.length; i++) most = Math.max(most, h.hits[i] + h.misses[i]);
	let d = '', pen = 'M';
	const every = Math.ceil(h.at.length / 100);
	for (let i = h.at.length % every; i < h.at.length; i += every) {
		if (h.hits[i] === null) { pen = 'M'; continue; }
		const x = 100 * (1 - (end - h.at[i]) / shown), y = 28 - (most ? 26 * (h.hits[i] + h.misses[i]) / most : 0);
		if (x < 0) continue;
		d += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
		pen = 'L';
	}
	return d;
}

// step moves the focus from one pool to the next by arrow keys.
function step(event) {
	const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
	if (!by) return;
	const all = [...body.querySelectorAll('.name')];
	const next = all[all.indexOf(event.currentTarget) + by];
	if (next) { next.focus(); event.preventDefault(); }
}

// ---- Details below a pool

function toggle(p) {
	if (p.view.detail) close(p);
	else open(p);
}

function close(p) {
	const d = p.view && p.view.detail;
	if (!d) return;
	d.cards.forEach(c => c.close());
	d.row.remove();
	p.view.detail = null;
	p.view.cells.name.name.setAttribute('aria-expanded', 'false');
}

function open(p) {
	const s = p.now, format = amount(s);
	const kinds = pools.size < 2 ? [] // those of all pools together say the same
		: [...(ofLimit(s) ? ['use'] : ['gets', 'rate', 'use', 'idle']), ...(limited(s) ? ['waiting', 'refused'] : [])];
	const cards = kinds.map(kind => new Card(kind, kind === 'use' || kind === 'idle' ? format : undefined));
	const d = {
		cards,
		name: el('p', {class: 'full-name', tabindex: '0', role: 'group', 'aria-label': 'Full name'}),
		classes: plain('Size classes', 'Size', 'Gets/s', ' ', 'Hit rate', 'In use', ' ', 'Idle', ' ', 'Drops'),
		drops: plain('Drops, leaks and misuse'),
		waits: plain('How long requests waited'),
		facts: plain('Since the start'),
	};
	d.classes.scroll.hidden = !(s.classes || []).length;
	const panels = el('div', {class: 'panels'}, d.classes.scroll, el('div', null, d.waits.scroll, d.drops.scroll, d.facts.scroll));
	const id = `detail-${s.id}`;
	const cell = el('td', {role: 'cell', colspan: columns.length}, d.name, el('div', {class: 'cards'}, ...cards.map(c => c.element)), panels);
	if (report.can_trim && s.kind !== 'FixedPool' && !ofLimit(s)) {
		const button = el('button', {type: 'button', click: () => trim(button, s.id, shorten(displayName(s), 60))}, 'Trim');
		cell.append(el('p', {class: 'actions'}, button, ' ', el('span', {class: 'sub'}, 'Releases the idle memory of this pool. This stops the program for a moment, and the next requests will be misses.')));
	}
	d.row = el('tr', {role: 'row', class: 'detail', id}, cell);
	p.view.detail = d;
	const name = p.view.cells.name.name;
	name.setAttribute('aria-expanded', 'true');
	name.setAttribute('aria-controls', id);
	p.view.row.after(d.row);
	showDetail(p);
}

// plain makes a table with an empty body, which rows fills.
function plain(caption, ...head) {
	const body = el('tbody');
	const table = el('table', {class: 'plain'}, el('caption', null, caption),
		...(head.length ? [el('thead', null, el('tr', null, ...head.map((t, i) => t === ' ' ? el('td') : el('th', {scope: 'col', class: i && 'number'}, t))))] : []), body);
	return {body, scroll: el('div', head.length ? {class: 'scroll', tabindex: '0', role: 'group', 'aria-label': caption} : null, table)};
}

// rows brings the body of a plain table up to date. A cell is a string, or a bar: its parts and their shares.
function rows(body, list) {
	while (body.rows.length > list.length) body.lastElementChild.remove();
	list.forEach((cells, i) => {
		let tr = body.rows[i];
		if (!tr) {
			tr = el('tr', null, ...cells.map((c, n) => n === 0 ? el('th', {scope: 'row'})
				: Array.isArray(c) ? el('td', {class: 'wide'}, bar(...c[0])) : el('td', {class: 'number'})));
			body.append(tr);
		}
		cells.forEach((c, n) => Array.isArray(c) ? fill(tr.cells[n].firstChild, ...c[1]) : text(tr.cells[n], c));
	});
}

const WAITS = ['below 1 ms', '1 to 10 ms', '10 to 100 ms', '0.1 to 1 s', '1 to 10 s', '10 to 100 s', '100 to 1,000 s', '1,000 s or more'];
const REASONS = {
	empty: 'nil, or without capacity', small: 'too small to keep', large: 'too large to keep', extra: 'made while no buffer was idle',
	foreign: 'not from this pool, or re-sliced', misaligned: 'starts inside an array, as b[k:] does', double: 'put twice', full: 'beyond MaxIdle or MaxItems',
	checked: 'tracked by checks, so not recycled',
};

// PLACED are the numbers of a pool that have a place of their own in its details. Others follow by name.
const PLACED = new Set('id gets hits misses outside puts adopted trimmed asked_bytes handed_out_bytes outside_bytes reserved memory_limit waiting waited total_wait longest_wait recent_longest_wait refused beyond'.split(' '));

function showDetail(p) {
	const s = p.now, h = p.history, d = p.view.detail, format = amount(s);
	text(d.name, s.name);
	hide(d.name, s.name.length < 40 && !/[\n\r\t]/.test(s.name));
	const details = {
		gets: [''],
		rate: ['', 0, sinceStart(s.hits, s.gets)],
		use: [useNote(s, format), maxInUse(s)],
		idle: [boundNote(maxIdle(s), format), maxIdle(s)],
		waiting: [longestNote(s.recent_longest_wait)],
		refused: [count(s.refused) + ' in all'],
	};
	for (const c of d.cards) c.update(h, ...details[c.kind]);

	const classes = s.classes || [];
	hide(d.classes.scroll, !classes.length);
	const before = new Map(((p.before && p.before.classes) || []).map(c => [c.size, c]));
	const rateOf = c => p.before && report.passed > 0 ? Math.max(0, c.gets - (before.get(c.size) || {gets: 0}).gets) / report.passed : 0;
	const outsideRate = p.before && report.passed > 0 ? Math.max(0, s.outside - p.before.outside) / report.passed : 0;
	const most = f => Math.max(1e-9, ...classes.map(f));
	const mostGets = Math.max(outsideRate, most(rateOf)), mostUse = Math.max(outside(s).bytes, most(c => c.bytes.in_use)), mostIdle = most(c => c.bytes.idle);
	const line = (name, c, gets, drops) => {
		const hit = c.gets ? c.hits / c.gets : 0;
		return [name, count(gets), [['hit', 'miss'], [gets / mostGets * hit, gets / mostGets * (1 - hit)]], percent(c.hits / c.gets),
			bytes(c.bytes.in_use), [['use'], [known(c.bytes.in_use) / mostUse]], bytes(c.bytes.idle), [['idle'], [c.bytes.idle / mostIdle]], exact(drops)];
	};
	const table = classes.map(c => line(bytes(c.size), c, rateOf(c), ofClass(c)));
	const noClass = drops(s) - classes.reduce((n, c) => n + ofClass(c), 0);
	if (classes.length && (s.outside > 0 || noClass > 0)) {
		table.push(line('no class', {gets: s.outside, hits: 0, bytes: {in_use: outside(s).bytes, idle: 0}}, outsideRate, noClass));
	}
	if (table.length > 1) {
		const hits = h.hits[h.hits.length - 1], misses = h.misses[h.misses.length - 1];
		table.push(line('all', s, hits + misses, drops(s)));
		table[table.length - 1].forEach((c, i, cells) => { if (Array.isArray(c)) cells[i] = [c[0], c[1].map(() => 0)]; }); // bars compare classes
	}
	rows(d.classes.body, table);

	rows(d.facts.body, [...(ofLimit(s) ? limitFacts(s) : [
		['Gets', exact(s.gets)], ['Hits', exact(s.hits)], ['Misses', exact(s.misses)],
		...(s.outside ? [['Outside (larger than MaxSize: served by the heap)', exact(s.outside)]] : []),
		['Puts', exact(s.puts)], ...(s.adopted ? [['Adopted', exact(s.adopted)]] : []), ['Trimmed', exact(s.trimmed)],
		...(lost(s).items ? [['Lost (never put back, and garbage now)', exact(lost(s).items)], ['Bytes lost', exact(lost(s).bytes)]] : []),
		['Items in use now', exact(s.items.in_use)], ['Items idle now', exact(s.items.idle)],
		...(itemsOnly(s) ? [] : [
			['Bytes in use now', exact(s.bytes.in_use)], [s.bytes.max_in_use ? 'Peak bytes in use' : 'Peak bytes in use, as far as seen', exact(s.peak_in_use.bytes)],
			...(outside(s).bytes > 0 ? [['Bytes larger than MaxSize in use', exact(outside(s).bytes)]] : []),
			['Bytes idle now', exact(s.bytes.idle)],
			['Bytes asked for', exact(s.asked_bytes)], ['Bytes handed out', exact(s.handed_out_bytes)],
		]),
		...(s.waited || s.refused || maxInUse(s) ? waitFacts(s) : []),
		...(s.beyond ? [['Beyond the limit', exact(s.beyond)]] : []),
	]), ...Object.entries(s).filter(([key, n]) => n > 0 && !PLACED.has(key)).map(([key, n]) => [key.replaceAll('_', ' '), exact(n)])]);
	hide(d.waits.scroll, !s.waited);
	const ended = s.wait_times.reduce((a, b) => a + b, 0);
	rows(d.waits.body, WAITS.map((name, i) =>
		[name, [['wait'], [s.wait_times[i] / ended]], exact(s.wait_times[i])]));
	const dropped = Object.entries(s.drops).filter(([, n]) => n > 0).map(([reason, n]) => [`Drops: ${reason}${REASONS[reason] ? ` (${REASONS[reason]})` : ''}`, exact(n)]);
	const mistakes = Object.entries(s.misuse || {}).filter(([, n]) => n > 0).map(([kind, n]) =>
		kind === 'leak' ? ['Leaks', estimate(exact(n))] : ['Misuse: ' + kind.replaceAll('_', ' '), exact(n)]);
	hide(d.drops.scroll, ofLimit(s));
	rows(d.drops.body, dropped.length + mistakes.length ? [...dropped, ...mistakes] : [['none', '0']]);
}

// limitFacts are the figures of a Limit.
function limitFacts(s) {
	return [
		['Bytes in use now, of all pools under it', exact(s.bytes.in_use)], ['Bytes reserved now', exact(s.reserved)],
		['Maximum', s.bytes.max_in_use ? exact(s.bytes.max_in_use) : 'none'], ['Peak of both', exact(s.peak_in_use.bytes)],
		...(lost(s).items ? [['Reservations lost (never released, and garbage now)', exact(lost(s).items)], ['Bytes lost', exact(lost(s).bytes)]] : []),
		...waitFacts(s), ['Beyond the limit', exact(s.beyond)],
	];
}

const waitFacts = s => [
	['Waited', exact(s.waited)], ['Longest wait', s.waited ? duration(s.longest_wait) : '–'],
	['Longest recent wait', s.waited ? duration(s.recent_longest_wait) : '–'], ['Refused', exact(s.refused)],
];

// ---- Checked mode

// estimate marks the figures of sampled checks, which track one in so many.
const estimate = words => report.checking && report.checking.every > 1 && words !== '0' ? '≈ ' + words : words;

const isOff = c => !c || c.level === 'off';

function showChecking() {
	const checking = report.checking, section = $('checking'), main = section.parentNode;
	hide(section, !checking);
	const off = isOff(checking);
	hide($('unchecked'), !off);
	if (!checking) return;
	const all = checking.found || [];
	if (all.length && main.firstElementChild !== section) main.prepend(section); // the first to be seen
	if (!all.length && main.lastElementChild !== section) main.append(section);
	const usedBytes = report.pools.reduce((n, s) => n + (ofLimit(s) ? 0 : known(s.bytes.in_use)), 0), trackedBytes = (checking.sites || []).reduce((n, s) => n + s.bytes, 0);
	text($('level'), off ? 'Memory of pools with a MaxInUse:' : `Checks are at level ${checking.level}` + (checking.every > 1 ? `: one in ${checking.every} acquisitions is tracked, so these figures are estimates. ` : '. ')
		+ 'A line whose Gets stay ahead of its Puts lacks one. '
		+ `Of the ${bytes(usedBytes)} in use, checks know the lines that took ${estimate(bytes(trackedBytes))}. The rest was not tracked, is older, or is garbage. `
		+ 'Checks hold ' + bytes(checking.bytes) + (checking.max_bytes ? ' of at most ' + bytes(checking.max_bytes) : '')
		+ (checking.guard_bytes ? ', the guard ' + bytes(checking.guard_bytes) + ' of at most ' + bytes(checking.max_guard_bytes) : '')
		+ (checking.unguarded ? ', too little for ' + count(checking.unguarded) + ' slices' : '')
		+ (checking.untracked ? ', too little to track ' + count(checking.untracked) + ' acquisitions' : '') + '.');
	showFound(all);
	const opened = openedIn('sites');
	const held = (checking.sites || []).filter(site => site.items > 0 || site.leaks > 0 || site.unfreed > 0), sites = held.slice(0, ROWS);
	$('sites').tBodies[0].replaceChildren(...sites.map(site => {
		const stack = site.stack || [], put = site.last_put || [];
		const key = site.pool + '\n' + site.line;
		if (!firstSites.has(key)) firstSites.set(key, site.bytes);
		const grown = site.bytes - firstSites.get(key);
		const others = site.paths > 1 ? `, in one of ${site.paths} ways` : '';
		const calls = 'taken' + others + ':\n' + indented(stack) + (put.length ? '\nlast put:\n' + indented(put) : '\nnever put back');
		return row($('sites'), place(key, site.line || 'all other lines', calls, opened), stack.length ? shorten(site.pool || 'unnamed', 100) : '',
			count(site.gets), count(site.puts), [count(site.leaks), site.leaks > 0], count(site.items), bytes(site.bytes),
			[(grown > 0 ? '+' : grown < 0 ? '−' : '') + bytes(Math.abs(grown)), grown > 0], [count(site.unfreed), site.unfreed > 0]);
	}));
	const used = report.pools.reduce((n, s) => n + known(s.items.in_use), 0);
	if (!sites.length) none($('sites'), used ? `None of the ${exact(used)} in use is tracked.` : 'Nothing is in use.');
}

function showFound(all) {
	const opened = openedIn('found');
	$('found').tBodies[0].replaceChildren(...all.slice(0, ROWS).map(f => {
		const parts = [['here', f.here], ['put back', f.first_put], ['taken', f.acquired]].filter(([, stack]) => stack && stack.length);
		if (f.trail) parts.unshift(['trail', f.trail]);
		const words = (f.suspect ? f.suspect + '\n' : '') + parts.map(([what, stack]) => what + ':\n' + indented(stack)).join('\n');
		return row($('found'), place([f.kind, f.pool, f.line].join('\n'), f.line, words, opened),
			[f.kind + ', ' + bytes(f.size), f.kind !== 'leak'], shorten(f.pool || 'unnamed', 100), (f.estimated ? '≈ ' : '') + exact(f.count));
	}));
	if (!all.length) none($('found'), 'Nothing was found.');
}

const indented = stack => stack.map(line => '  ' + line).join('\n');

// row makes a row of a table. A cell is an element, a text, or a text and whether it is bad. On a narrow
// page, where the head is not shown, each cell has its title.
function row(table, ...cells) {
	return el('tr', null, ...cells.map((c, i) => {
		const head = table.tHead.rows[0].cells[i], [words, bad] = Array.isArray(c) ? c : [c, false];
		return el('td', {class: [head.className, bad && 'bad'].filter(Boolean).join(' ') || undefined, 'data-head': head.textContent}, words);
	}));
}

// none says in place of rows that there are none.
function none(table, words) {
	table.tBodies[0].append(el('tr', null, el('td', {colspan: table.tHead.rows[0].cells.length, class: 'dim'}, words)));
}

// place is a line of the program that opens to show call stacks.
function place(key, line, text, opened) {
	const where = el('details', {open: opened.has(key)}, el('summary', null, shorten(line || 'unknown', 300)), el('pre', null, text));
	where.dataset.site = key;
	return where;
}

// openedIn returns the keys of the places in a table that are open.
const openedIn = table => new Set([...$(table).querySelectorAll('details[open]')].map(e => e.dataset.site));

// ---- Asking

const address = () => location.origin + location.pathname; // location.href may have a password, which fetch refuses
const interval = () => Number($('interval').value);
let timer = 0, asking = false;

// setState shows the state. Screen readers read it out, so a lost connection is shown once.
function setState(state, words) {
	const e = $('state');
	if (e.dataset.state === state && state === 'lost') return;
	e.dataset.state = state;
	document.body.classList.toggle('lost', state === 'lost');
	text(e.firstElementChild, words);
}

let saying = 0;
// say shows a message for a while in place of the state.
function say(words) {
	text($('state').firstElementChild, words);
	saying = Date.now() + 4000;
}

async function ask() {
	clearTimeout(timer);
	if (asking) return;
	asking = true;
	const begun = Date.now();
	let next = null, kept = null, problem = '';
	try {
		const response = await fetch(address() + '?format=json', {cache: 'no-store', signal: AbortSignal.timeout(PATIENCE)});
		if (response.ok) next = await response.json();
		if (next && next.has_history && !past) kept = await fetchHistory();
		else problem = `The program answers ${response.status}`;
	} catch {
		problem = 'No answer';
	}
	asking = false;
	plan(begun);
	if (!next) {
		setState('lost', `${problem} since ${clock(Date.now() / 1000)}; trying again`);
		return;
	}
	if (Date.now() > saying || $('state').dataset.state !== 'live') setState('live', 'Live');
	take(next, kept);
	show();
	if (!interval()) setState('paused', 'Paused');
}

// fetchHistory returns the history that was kept before this page, or an empty one.
async function fetchHistory() {
	try {
		const response = await fetch(address() + '?format=history', {cache: 'no-store', signal: AbortSignal.timeout(PATIENCE)});
		return response.ok ? await response.json() : {};
	} catch {
		return {};
	}
}

// plan schedules the next request, unless nobody would see the report.
function plan(begun) {
	clearTimeout(timer);
	if (interval() && !document.hidden) timer = setTimeout(ask, Math.max(100, interval() - (Date.now() - begun)));
}

function show() {
	showAll();
	showHead();
	showPools(false);
	showChecking();
}

async function trim(button, which, name) {
	button.disabled = true;
	try {
		const response = await fetch(`${address()}?trim=${which}`, {method: 'POST'});
		say(response.ok ? `Trimmed ${name}` : shorten(await response.text(), 200));
	} catch {
		say('No answer');
	}
	button.disabled = false;
	ask();
}

$('trim-all').addEventListener('click', () => $('ask').showModal());
$('no').addEventListener('click', () => $('ask').close());
$('yes').addEventListener('click', () => { $('ask').close(); trim($('trim-all'), 'all', 'all pools'); });
$('filter').addEventListener('input', () => { if (report) showPools(true); });
$('more').addEventListener('click', () => { limit = Infinity; showPools(true); });
$('interval').addEventListener('change', () => {
	if (interval()) ask();
	else { clearTimeout(timer); setState('paused', 'Paused'); }
});
document.addEventListener('visibilitychange', () => { if (!document.hidden && interval()) ask(); });

// ---- Light and dark

const THEMES = ['auto', 'light', 'dark'];
function setTheme(theme) {
	if (theme === 'auto') delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = theme;
	text($('theme'), 'Theme: ' + theme);
	recolor();
}
function recolor() {
	readColors();
	for (const c of curves) c.redraw();
}
let theme = 'auto';
try { theme = localStorage.getItem('basin-theme') || theme; } catch { /* not allowed */ }
setTheme(THEMES.includes(theme) ? theme : 'auto');
$('theme').addEventListener('click', () => {
	theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
	setTheme(theme);
	try { localStorage.setItem('basin-theme', theme); } catch { /* not allowed */ }
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolor);

showHead();
ask();
