'use strict';
// Asks for reports (see basinhttp.Report), adds them to the history of each pool and brings the
// document up to date. Whatever comes from a report becomes text, never markup.

const SPAN = 300;         // seconds of history
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
	e.append(...children);
	return e;
}

// text makes e say s. Most figures stay as they are from one report to the next.
function text(e, s) { if (e.textContent !== s) e.textContent = s; }
function title(e, s) { if (e.title !== s) e.title = s; }
function hide(e, hidden) { if (e.hidden !== hidden) e.hidden = hidden; }

// ---- How figures are written

const whole = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const exact = n => (Number.isSafeInteger(n) ? '' : '≈ ') + whole.format(n);

function scaled(n, base, units) {
	let i = 0;
	while (n >= base && i < units.length - 1) { n /= base; i++; }
	const digits = i === 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2;
	return n.toFixed(digits).replace(/\.0+$/, '') + units[i];
}
const bytes = n => scaled(n, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB']);
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

// ---- What has been seen

// A History has, for each moment, what was seen of a pool, or of all.
class History {
	constructor() {
		this.at = [];
		this.hits = [];    // per second
		this.misses = [];  // per second, larger than MaxSize and refused included
		this.rate = [];    // of hits, in percent
		this.use = [];     // bytes; values, if a pool knows no bytes
		this.idle = [];
		this.waiting = [];
	}
	push(at, hits, misses, use, idle, waiting) {
		this.at.push(at);
		this.hits.push(hits);
		this.misses.push(misses);
		this.rate.push(hits + misses > 0 ? 100 * hits / (hits + misses) : null);
		this.use.push(use);
		this.idle.push(idle);
		this.waiting.push(waiting);
		if (this.at[0] < at - SPAN * 1.2) {
			const old = this.at.findIndex(t => t >= at - SPAN);
			for (const column of Object.values(this)) column.splice(0, old);
		}
	}
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
let total = new History();
let report = null;         // the last one
let lastID = 0;            // the largest ID in it
const firstSites = new Map(); // bytes of each site when it was first seen

const seconds = r => Date.parse(r.time) / 1000;
const itemsOnly = s => s.Kind.startsWith('Pool[');
const inUse = s => itemsOnly(s) ? s.InUse : s.InUseBytes;
const idle = s => itemsOnly(s) ? s.Idle : s.IdleBytes;
const maxIdle = s => itemsOnly(s) ? s.MaxIdleItems : s.MaxIdle;
const amount = s => itemsOnly(s) ? count : bytes;
const displayName = s => s.Name || 'unnamed';
const misuse = s => typeof s.Misuse === 'number' ? s.Misuse : Object.values(s.Misuse || {}).reduce((a, b) => a + b, 0);

function forget() {
	for (const p of pools.values()) drop(p);
	pools.clear();
	firstSites.clear();
	total = new History();
	report = null;
	lastID = 0;
}

// take adds a report to what has been seen.
function take(next) {
	next.pools ||= [];
	if (report && (next.started !== report.started || seconds(next) <= seconds(report))) {
		const restarted = next.started !== report.started;
		forget();
		if (restarted) say('The program has been started anew');
	}
	const at = seconds(next);
	const passed = report ? at - seconds(report) : 0;
	const gap = report && passed > Math.max(3 * interval() / 1000, 5);
	const sum = {hits: 0, misses: 0, use: 0, idle: 0, waiting: 0};
	const there = new Set();
	let largest = lastID;
	for (const s of next.pools) {
		there.add(s.ID);
		largest = Math.max(largest, s.ID);
		let p = pools.get(s.ID);
		if (!p) pools.set(s.ID, p = {now: s, before: null, history: new History(), view: null});
		p.before = p.now !== s ? p.now : s.ID > lastID && report ? {Hits: 0, Gets: 0, Drops: 0, Classes: []} : null;
		p.now = s;
		let hits = null, misses = null;
		if (p.before && passed > 0) {
			hits = Math.max(0, s.Hits - p.before.Hits) / passed;
			misses = Math.max(0, s.Gets - s.Hits - p.before.Gets + p.before.Hits) / passed;
			sum.hits += hits;
			sum.misses += misses;
		}
		if (gap) p.history.push(at - passed / 2, null, null, null, null, null); // not a line across
		p.history.push(at, hits, misses, inUse(s), idle(s), s.Waiting);
		sum.use += s.InUseBytes;
		sum.idle += s.IdleBytes;
		sum.waiting += s.Waiting;
	}
	for (const [id, p] of pools) {
		if (!there.has(id)) { drop(p); pools.delete(id); }
	}
	if (gap) total.push(at - passed / 2, null, null, null, null, null);
	total.push(at, report ? sum.hits : null, report ? sum.misses : null, sum.use, sum.idle, sum.waiting);
	lastID = largest;
	report = next;
	report.passed = passed;
}

// drop takes a pool that is gone off the page.
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
	const step = [10, 15, 30, 60, 120].find(s => (to - from) / s * 65 <= width) || 180;
	const at = [];
	for (let t = Math.ceil(from / step) * step; t <= to - (to - from) * 12 / width; t += step) at.push(t);
	return at;
}
const powers = Array.from({length: 60}, (_, i) => 2 ** i);

// What cards show. Of each series: column of the History, color, name.
const CARDS = {
	gets: {title: 'Gets per second', series: [['hits', 'hit', 'hits'], ['misses', 'miss', 'misses']], format: count},
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
				{...axis, size: 54, gap: 4, space: 28, incrs: format === bytes ? incrs : max ? [25, 50] : undefined, values: (_, v) => v.map(x => max ? x + ' %' : format(x))},
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
	// span is what part of time is shown: more and more, until it is all that is kept.
	span() {
		const at = this.history.at;
		const end = at.length ? at[at.length - 1] : Date.now() / 1000;
		return [end - Math.min(SPAN, Math.max(60, end - (at[0] || end))), end];
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
		this.spec.series.forEach(([column], n) => {
			const v = this.history[column][i];
			text(this.values[n], v === null || v === undefined ? '–' : this.format(v));
		});
		text(this.when, pointed ? clock(this.history.at[i]) : '');
	}
	update(history, figure, note, bound) {
		this.history = history;
		this.bound = bound;
		text(this.figure, figure);
		text(this.note, note);
		this.plot.setAttribute('aria-label', `Curve of ${this.spec.title.toLowerCase()}, now ${figure}`);
		if (this.curve) this.curve.setData(this.data());
		else this.draw();
		this.label();
	}
	close() {
		if (!this.curve) return;
		sizes.unobserve(this.plot);
		curves.delete(this.curve);
		this.curve.destroy();
	}
}

const boundNote = (n, format) => n > 0 ? 'of ' + format(n) : '';

// ---- All pools

const allCards = ['gets', 'rate', 'use', 'idle'].map(kind => new Card(kind));
$('all').append(...allCards.map(c => c.element));

function showAll() {
	const all = [...pools.values()].map(p => p.now);
	const sum = f => all.reduce((n, s) => n + f(s), 0);
	const gets = sum(s => s.Gets), hits = sum(s => s.Hits);
	const [getsCard, rateCard, useCard, idleCard] = allCards;
	getsCard.update(total, total.gets === null ? '–' : count(total.gets), '');
	rateCard.update(total, percent(total.hitRate ?? hits / gets), total.hitRate === null && gets ? 'since the start' : '');
	useCard.update(total, bytes(sum(s => s.InUseBytes)), '');
	idleCard.update(total, bytes(sum(s => s.IdleBytes)), boundNote(sum(s => s.MaxIdle), bytes));

	const go = report.go;
	const facts = [
		[count(all.length), all.length === 1 ? 'pool' : 'pools'],
		[count(sum(s => s.Waiting)), 'waiting'],
		[count(sum(s => s.Drops)), 'drops'],
		...(report.checking || all.some(misuse) ? [[count(sum(misuse)), 'misuses']] : []),
		[count(go.goroutines), 'goroutines'],
		[count(go.procs), go.procs === 1 ? 'P' : 'Ps'],
		[bytes(go.heapBytes), 'heap'],
		[bytes(go.memoryBytes), 'memory' + (go.memoryLimit ? ' of ' + bytes(go.memoryLimit) : '')],
		[count(go.gcCycles), 'GC cycles'],
	];
	$('facts').replaceChildren(...facts.flatMap(([n, what], i) => [i ? ' · ' : '', el('b', null, n), ' ' + what]), ` · ${go.version}`);
	text($('program'), report.program);
	document.title = report.program ? `basin: ${report.program}` : 'basin';
	hide($('trim-all'), !report.canTrim);
}

// ---- The table of pools

// Columns: title, what to sort by, and whether small comes first.
const COLUMNS = {
	name: {title: 'Pool', key: p => displayName(p.now), rises: true},
	curve: {title: 'Last minutes'},
	gets: {title: 'Gets/s', key: p => p.history.gets ?? 0, hint: 'requests per second'},
	rate: {title: 'Hit rate', key: p => hitRate(p) ?? -1, hint: 'share of requests that got something recycled', rises: true},
	use: {title: 'In use', key: p => inUse(p.now), hint: 'handed out and not put back'},
	idle: {title: 'Idle', key: p => idle(p.now), hint: 'kept for the next request'},
	waiting: {title: 'Waiting', key: p => p.now.Waiting * 1e15 + p.now.Waited, hint: 'requests that wait for room, or ever had to'},
	drops: {title: 'Drops', key: p => p.now.Drops, hint: 'what was put back and not kept'},
	misuse: {title: 'Misuse', key: p => misuse(p.now), hint: 'mistakes that checked mode has found'},
};
let sort = {by: 'gets', rises: false};
let limit = ROWS;
let columns = [];
const body = $('pools').tBodies[0];

function hitRate(p) {
	return p.history.hitRate ?? (p.now.Gets ? p.now.Hits / p.now.Gets : null);
}

function showHead() {
	const checked = report && (report.checking || report.pools.some(misuse));
	const names = Object.keys(COLUMNS).filter(name => name !== 'misuse' || checked);
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
	const key = COLUMNS[sort.by].key;
	const keys = new Map(list.map(p => [p, key(p)]));
	const compare = sort.by === 'name' ? collator.compare : (a, b) => a - b;
	const sign = sort.rises ? 1 : -1;
	return list.sort((a, b) => sign * compare(keys.get(a), keys.get(b)) || a.now.ID - b.now.ID);
}

// held says whether rows should stay where they are: somebody points at them.
const hovers = matchMedia('(hover: hover)');
const held = () => hovers.matches && body.matches(':hover') || body.querySelector('.name:focus-visible');
let shownOrder = [];

function showPools(anew) {
	const wanted = $('filter').value.trim().toLowerCase();
	const all = [...pools.values()];
	let list = all.filter(p => !wanted || (p.now.Name + ' ' + p.now.Kind).toLowerCase().includes(wanted));
	if (anew || !held()) {
		list = inOrder(list);
	} else {
		const place = new Map(shownOrder.map((p, i) => [p, i]));
		list.sort((a, b) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || a.now.ID - b.now.ID);
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

// keepFocus lets move put an element elsewhere without it losing the focus.
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
	const id = 'pool-' + p.now.ID;
	const cells = {};
	const row = el('tr', {role: 'row', class: 'pool', id});
	for (const name of columns) {
		const c = cells[name] = {};
		const td = el('td', {role: 'cell'});
		if (name === 'name') {
			c.name = el('button', {type: 'button', class: 'name', 'aria-expanded': 'false', click: () => toggle(p), keydown: step});
			c.kind = el('span', {class: 'sub'});
			td.append(c.name, c.kind);
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
			if (name === 'use' || name === 'idle') td.append(c.bar = bar(name));
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
	name.classList.toggle('unnamed', !s.Name);
	title(name, shorten(s.Name, 1000));
	text(cells.name.kind, s.Kind);
	title(cells.name.kind, s.Kind);

	cells.curve.path.setAttribute('d', sparkline(h));
	text(cells.gets.value, h.gets === null ? '–' : count(h.gets));
	text(cells.gets.sub, count(s.Gets) + ' in all');
	const rate = hitRate(p);
	text(cells.rate.value, percent(rate ?? NaN));
	fill(cells.rate.bar, rate, rate === null ? 0 : 1 - rate);
	text(cells.rate.sub, h.hitRate === null && s.Gets ? 'since the start' : '');
	for (const [cell, n, bound, items] of [[cells.use, inUse(s), s.MaxInUse, s.InUse], [cells.idle, idle(s), maxIdle(s), s.Idle]]) {
		text(cell.value, format(n) + (itemsOnly(s) ? n === 1 ? ' value' : ' values' : ''));
		title(cell.value, itemsOnly(s) ? exact(n) : `${exact(n)} bytes in ${exact(items)}`);
		text(cell.sub, bound > 0 ? 'of ' + format(bound) : 'no bound');
		hide(cell.bar, !(bound > 0));
		fill(cell.bar, n / bound);
		cell.bar.classList.toggle('full', cell === cells.use && n >= 0.95 * bound);
	}
	text(cells.waiting.value, s.Waiting ? count(s.Waiting) : s.Waited ? '0' : '–');
	cells.waiting.value.classList.toggle('bad', s.Waiting > 0);
	text(cells.waiting.sub, s.Waited ? count(s.Waited) + ' so far' : '');
	text(cells.drops.value, count(s.Drops));
	const drops = p.before && report.passed > 0 ? (s.Drops - p.before.Drops) / report.passed : 0;
	text(cells.drops.sub, drops > 0 ? count(drops) + '/s' : '');
	if (cells.misuse) {
		const n = misuse(s);
		text(cells.misuse.value, count(n));
		cells.misuse.value.classList.toggle('bad', n > 0);
	}
}

function sparkline(h) {
	const end = h.at[h.at.length - 1];
	const span = Math.min(SPAN, Math.max(60, end - h.at[0]));
	let most = 0;
	for (let i = 0; i < h.at.length; i++) most = Math.max(most, h.hits[i] + h.misses[i]);
	let d = '', pen = 'M';
	const every = Math.ceil(h.at.length / 100);
	for (let i = h.at.length % every; i < h.at.length; i += every) {
		if (h.hits[i] === null) { pen = 'M'; continue; }
		const x = 100 * (1 - (end - h.at[i]) / span), y = 28 - (most ? 26 * (h.hits[i] + h.misses[i]) / most : 0);
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

// ---- What opens below a pool

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
	const cards = [new Card('gets'), new Card('rate'), new Card('use', format), new Card('idle', format)];
	if (s.MaxInUse > 0) cards.push(new Card('waiting'));
	const d = {
		cards,
		name: el('p', {class: 'full-name', tabindex: '0', role: 'group', 'aria-label': 'Full name'}),
		classes: plain('Size classes', 'Size', 'Gets/s', ' ', 'Hit rate', 'In use', ' ', 'Idle', ' ', 'Drops'),
		drops: plain('Drops'),
		facts: plain('Since the start'),
	};
	d.classes.scroll.hidden = !(s.Classes || []).length;
	const panels = el('div', {class: 'panels'}, d.classes.scroll, el('div', null, d.drops.scroll, d.facts.scroll));
	const id = `detail-${s.ID}`;
	const cell = el('td', {role: 'cell', colspan: columns.length}, d.name, el('div', {class: 'cards'}, ...cards.map(c => c.element)), panels);
	if (report.canTrim && s.Kind !== 'FixedPool') {
		const button = el('button', {type: 'button', click: () => trim(button, s.ID, shorten(displayName(s), 60))}, 'Trim');
		cell.append(el('p', {class: 'actions'}, button, ' ', el('span', {class: 'sub'}, 'Lets all that is idle go. It costs the next requests a miss each.')));
	}
	d.row = el('tr', {role: 'row', class: 'detail', id}, cell);
	p.view.detail = d;
	const name = p.view.cells.name.name;
	name.setAttribute('aria-expanded', 'true');
	name.setAttribute('aria-controls', id);
	p.view.row.after(d.row);
	showDetail(p);
}

// plain makes a table whose body is made anew with each report.
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

const REASONS = {
	Empty: 'empty', Small: 'smaller than MinSize', Large: 'larger than MaxSize', Foreign: 'foreign, or re-sliced',
	Misaligned: 'part of another array', Double: 'put twice', Full: 'beyond MaxIdle',
};

function showDetail(p) {
	const s = p.now, h = p.history, d = p.view.detail, format = amount(s);
	text(d.name, s.Name);
	hide(d.name, s.Name.length < 40 && !/[\n\r\t]/.test(s.Name));
	const rate = hitRate(p);
	d.cards[0].update(h, h.gets === null ? '–' : count(h.gets), '');
	d.cards[1].update(h, percent(rate ?? NaN), h.hitRate === null && s.Gets ? 'since the start' : '');
	d.cards[2].update(h, format(inUse(s)), boundNote(s.MaxInUse, format), s.MaxInUse);
	d.cards[3].update(h, format(idle(s)), boundNote(maxIdle(s), format), maxIdle(s));
	if (d.cards[4]) d.cards[4].update(h, count(s.Waiting), s.LongestWait ? 'longest ' + duration(s.LongestWait) : '');

	const classes = s.Classes || [];
	hide(d.classes.scroll, !classes.length);
	const before = new Map(((p.before && p.before.Classes) || []).map(c => [c.Size, c]));
	const perSecond = c => p.before && report.passed > 0 ? Math.max(0, c.Gets - (before.get(c.Size) || {Gets: 0}).Gets) / report.passed : 0;
	const most = f => Math.max(1e-9, ...classes.map(f));
	const mostGets = most(perSecond), mostUse = most(c => c.InUseBytes), mostIdle = most(c => c.IdleBytes);
	rows(d.classes.body, classes.map(c => {
		const gets = perSecond(c), hit = c.Gets ? c.Hits / c.Gets : 0;
		return [bytes(c.Size), count(gets), [['hit', 'miss'], [gets / mostGets * hit, gets / mostGets * (1 - hit)]], percent(c.Hits / c.Gets),
			bytes(c.InUseBytes), [['use'], [c.InUseBytes / mostUse]], bytes(c.IdleBytes), [['idle'], [c.IdleBytes / mostIdle]], exact(c.Full + c.Double)];
	}));

	rows(d.facts.body, [
		['Gets', exact(s.Gets)], ['Hits', exact(s.Hits)], ['Misses', exact(s.Misses)],
		...(s.Oversize ? [['Larger than MaxSize, or refused', exact(s.Oversize)]] : []),
		['Puts', exact(s.Puts)], ['Trimmed', exact(s.Trimmed)],
		['In use now', exact(s.InUse)], ['Idle now', exact(s.Idle)],
		...(itemsOnly(s) ? [] : [
			['Bytes in use now', exact(s.InUseBytes)], ['Bytes idle now', exact(s.IdleBytes)],
			['Bytes asked for', exact(s.AskedBytes)], ['Bytes handed out', exact(s.HandedOutBytes)],
		]),
		...(s.Waited || s.Refused || s.MaxInUse ? [
			['Had to wait', exact(s.Waited)], ['Longest wait', s.Waited ? duration(s.LongestWait) : '–'], ['Refused', exact(s.Refused)],
		] : []),
	]);
	const dropped = Object.entries(s.DropsBy).filter(([, n]) => n > 0).map(([reason, n]) => [REASONS[reason] || reason, exact(n)]);
	const found = Object.entries(typeof s.Misuse === 'object' && s.Misuse || {}).filter(([, n]) => n > 0).map(([kind, n]) => ['Misuse: ' + kind, exact(n)]);
	rows(d.drops.body, dropped.length + found.length ? [...dropped, ...found] : [['none', '0']]);
}

// ---- Checked mode

function showChecking() {
	const checking = report.checking;
	hide($('checking'), !checking);
	hide($('unchecked'), !!checking);
	if (!checking) return;
	text($('level'), (checking.level === 'sampled' ? 'Estimates, from samples. ' : '') + 'What only ever grows here is likely never put back.');
	showFound(checking.found || []);
	const opened = openedIn('sites');
	const sites = (checking.sites || []).slice(0, ROWS);
	$('sites').tBodies[0].replaceChildren(...sites.map(site => {
		const stack = site.stack || [];
		const key = site.pool + '\n' + stack.join('\n');
		if (!firstSites.has(key)) firstSites.set(key, site.bytes);
		const grown = site.bytes - firstSites.get(key);
		return el('tr', null, el('td', null, place(key, stack[0], stack.join('\n'), opened)), el('td', null, shorten(site.pool || 'unnamed', 100)),
			el('td', {class: 'number'}, exact(site.items)), el('td', {class: 'number'}, bytes(site.bytes)),
			el('td', {class: grown > 0 ? 'number bad' : 'number'}, (grown > 0 ? '+' : grown < 0 ? '−' : '') + bytes(Math.abs(grown))));
	}));
	if (!sites.length) $('sites').tBodies[0].append(el('tr', null, el('td', {colspan: 5, class: 'dim'}, 'Nothing is in use.')));
}

// showFound shows what misuse there was.
function showFound(found) {
	const opened = openedIn('found');
	$('found').tBodies[0].replaceChildren(...found.slice(0, ROWS).map(f => {
		const parts = [['here', f.here], ['put back', f.firstPut], ['got', f.acquired]].filter(([, stack]) => stack && stack.length);
		const first = [f.acquired, f.here, f.firstPut].find(stack => stack && stack.length) || [];
		const text = parts.map(([what, stack]) => what + ':\n' + stack.map(line => '  ' + line).join('\n')).join('\n');
		return el('tr', null, el('td', null, place([f.kind, f.pool, ...first].join('\n'), first[0], text, opened)),
			el('td', {class: f.kind === 'leak' ? '' : 'bad'}, f.kind + ', ' + bytes(f.size)), el('td', null, shorten(f.pool || 'unnamed', 100)),
			el('td', {class: 'number'}, exact(f.count)));
	}));
	if (!found.length) $('found').tBodies[0].append(el('tr', null, el('td', {colspan: 4, class: 'dim'}, 'Nothing was found.')));
}

// place names a place in the program, and opens to show how it was come by.
function place(key, line, text, opened) {
	const where = el('details', {open: opened.has(key)}, el('summary', null, shorten(line || 'unknown', 300)), el('pre', null, text));
	where.dataset.site = key;
	return where;
}

// openedIn returns the keys of the places in a table that are open.
const openedIn = table => new Set([...$(table).querySelectorAll('details[open]')].map(e => e.dataset.site));

// ---- Asking

const address = () => location.origin + location.pathname; // without a password that the location may have
const interval = () => Number($('interval').value);
let timer = 0, asking = false;

// setState says how things are; it is also read out, so only when that changes.
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
	let next = null, problem = '';
	try {
		const response = await fetch(address() + '?format=json', {cache: 'no-store', signal: AbortSignal.timeout(PATIENCE)});
		if (response.ok) next = await response.json();
		else problem = `The answer is ${response.status}`;
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
	take(next);
	show();
	if (!interval()) setState('paused', 'Paused');
}

// plan has the next report asked for, unless nobody would see it.
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

$('trim-all').addEventListener('click', () => trim($('trim-all'), 'all', 'all pools'));
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
