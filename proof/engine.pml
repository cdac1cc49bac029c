/*
 * A model of internal/engine: magazines, depots, limbo and the reclaim of
 * magazines by grace period. proof/check verifies it and docs/proof.md says what
 * it leaves out. Names are those of the code, and comments name the function
 * that a step belongs to.
 *
 * Steps. Each load and each store that is not under a lock is a step of its own:
 * a pinned section's plain loads and stores and those of the table. All work
 * under a depot's lock on data that only holders of the lock touch (its items,
 * limbo, limits) is one step.
 *
 * Ghosts are variables that the code does not have; they know where each item
 * ought to be, and nothing in the model decides by them.
 */

/* Bounds, and which of the processes there are: see proof/check. */
#ifndef USERS
#define USERS 2		/* goroutines that get and put */
#endif
#ifndef PS
#define PS 2		/* GOMAXPROCS at most */
#endif
#ifndef CLASSES
#define CLASSES 1
#endif
#ifndef ITEMS
#define ITEMS 3		/* that exist at a time, whether idle or in use */
#endif
#ifndef SLOTS
#define SLOTS 2		/* of a magazine: Class.Local */
#endif
#ifndef MAXIDLE
#define MAXIDLE 4	/* in items: each has size 1 */
#endif
#ifndef MAXLOCAL
#define MAXLOCAL (MAXIDLE/2)
#endif
#ifndef CHANGES
#define CHANGES 0	/* of GOMAXPROCS */
#endif
#ifndef PROCS
#define PROCS PS	/* GOMAXPROCS in the beginning */
#endif

#define ENTRIES	(PS*CLASSES)
#define MAGAZINES (1 + 2*ENTRIES)	/* per entry one in limbo for Trim, and one more */
#define EMPTY	0	/* Engine.empty */
#define NONE	255	/* attach found no magazine */

/* part: work of a holder of a depot's lock on data that nobody else may touch. With one class it
 * is one step; with several, others take from the budgets in between. */
#if CLASSES == 1 && !defined(PIN_OMITTED)
#define part atomic
#else
#define part
#endif

#define entryOf(p, c) ((p)*CLASSES + (c))
#if CLASSES == 1
#define classOf(x) 0
#else
#define classOf(x) ((x) % CLASSES)
#endif

/* Ghosts: where an item is. */
mtype = { GONE, OUT, OFFERED, IDLE }
#define Where mtype
Where where[ITEMS+1] = GONE;
byte idleItems;		/* how many are IDLE */
byte busy;		/* operations under way, of all processes */

/* The state of a magazine: FREE is no object at all, DOOMED is retired.trimmed. */
mtype = { FREE, TABLE, LIMBO, DOOMED }

typedef Magazine {
	byte size;		/* Len: the low byte of state */
	byte limit;
	byte slots[SLOTS];
	mtype is = FREE;	/* limbo is the set of those that are LIMBO or DOOMED */
	byte entry;		/* retired.entry */
	byte round;		/* retired.round, less the engine's round, not below 0 */
}
Magazine mag[MAGAZINES];

typedef Depot {
	bit mu;
	byte n;
	byte items[ITEMS];
#ifdef RETENTION
	byte low, due;
	byte age[ITEMS];	/* ghost: windows since begun, up to 2, of the item at each place */
#endif
}
Depot depot[CLASSES];

/* Table: version v is the array with v rows, 0 is none. */
typedef Array { byte entry[ENTRIES] }
Array array[PS];
byte tableFirst;	/* Table.first */
byte tableLen;		/* Table.len, in entries */
bit growth;		/* Engine.growth */
bit trimming;		/* Engine.trim */

short idleTaken;		/* Engine.idle.taken */
short localTaken;		/* Engine.local.taken */

/* The runtime. */
bit pinned[PS];		/* somebody is pinned to this P */
byte gomaxprocs = PROCS;

/* stopped: the world can stop. */
#if PS == 1
#define stopped (!pinned[0])
#elif PS == 2
#define stopped (!pinned[0] && !pinned[1])
#else
#define stopped (!pinned[0] && !pinned[1] && !pinned[2])
#endif

/* grace: a stop of the world, any time after the step before. */
#ifdef NO_GRACE
#define grace true
#else
#define grace stopped
#endif
#ifdef NO_QUIESCE
#define quiet true
#else
#define quiet stopped
#endif

#define has(i) ((i) < tableLen)				/* Table.Has */
#define at(f, i) array[(f)-1].entry[i]			/* the magazine of Table.Entry */
#define cell(i) at(tableFirst, i)
#define inBounds(f, i) assert((f) > 0 && (i) < (f)*CLASSES)

/* ---- Ghost bookkeeping: the properties. ---- */

/* MaxIdle holds at every moment, for idle items and for the amounts taken. */
inline paid() {
	assert(idleItems <= idleTaken && idleTaken <= MAXIDLE);
	assert(0 <= localTaken && localTaken <= MAXLOCAL && localTaken <= idleTaken)
}

/* x is popped: it was idle, and so nobody's. */
inline popped(x) {
	assert(x != 0 && where[x] == IDLE);
	where[x] = OUT; idleItems--
}

/* x is pushed: it was offered by its one owner. */
inline pushed(x) {
	assert(where[x] == OFFERED);
	where[x] = IDLE; idleItems++;
	paid()
}

/* x is released: it was idle, and so nobody's. */
inline letGo(x) {
	assert(x != 0 && where[x] == IDLE);
	where[x] = GONE; idleItems--
}

/* done ends an operation. If no other is under way, each item must be where it
 * ought to be, once, and the budgets must be what is paid for. This is the audit
 * function of the engine's tests. */
inline done() {
	d_step {
		busy--;
		if
		:: busy == 0 -> audit()
		:: else
		fi
	}
}

/* auditMagazine is for a magazine in the table or in limbo. */
inline auditMagazine(m) {
	assert(mag[m].size <= mag[m].limit && mag[m].limit <= SLOTS);
	paidSlots = paidSlots + mag[m].limit;
	for (k2 : 0 .. SLOTS-1) {
		if
		:: k2 < mag[m].size ->
			assert(mag[m].slots[k2] != 0 && where[mag[m].slots[k2]] == IDLE);
			assert(!(seen & (1 << mag[m].slots[k2])));
			seen = seen | (1 << mag[m].slots[k2])
		:: else -> assert(mag[m].slots[k2] == 0)	/* keeps nothing alive */
		fi
	}
	k2 = 0
}

byte k1, k2, paidSlots;
short seen;

inline audit() {
	seen = 0; paidSlots = 0;
	assert(mag[EMPTY].size == 0 && mag[EMPTY].limit == 0);
	for (k1 : 0 .. ENTRIES-1) {
		if
		:: has(k1) && cell(k1) != EMPTY ->
			assert(mag[cell(k1)].is == TABLE && mag[cell(k1)].entry == k1);
			auditMagazine(cell(k1))
		:: else
		fi
	}
	for (k1 : 1 .. MAGAZINES-1) {
		if
		:: mag[k1].is == LIMBO || mag[k1].is == DOOMED -> auditMagazine(k1)
		:: else
		fi
	}
	assert(localTaken == paidSlots);
	for (k1 : 0 .. CLASSES-1) {
		paidSlots = paidSlots + depot[k1].n;
		for (k2 : 0 .. ITEMS-1) {
			if
			:: k2 < depot[k1].n ->
				assert(where[depot[k1].items[k2]] == IDLE && classOf(depot[k1].items[k2]) == k1);
				assert(!(seen & (1 << depot[k1].items[k2])));
				seen = seen | (1 << depot[k1].items[k2])
			:: else -> assert(depot[k1].items[k2] == 0)
			fi
		}
	}
	assert(idleTaken == paidSlots);
	for (k1 : 1 .. ITEMS) {		/* none is lost */
		assert(where[k1] != OFFERED && (where[k1] != IDLE || (seen & (1 << k1))))
	}
	k1 = 0; k2 = 0; paidSlots = 0; seen = 0
}

/* ---- Small parts of the code, each one step of its caller. ---- */

inline lockDepot(c) { atomic { !depot[c].mu -> depot[c].mu = 1 } }
inline unlockDepot(c) { depot[c].mu = 0 }

/* depot.push, of one item */
inline pushDepot(c, x) {
	depot[c].items[depot[c].n] = x;
#ifdef RETENTION
	depot[c].age[depot[c].n] = 0;
#endif
	depot[c].n++
}

/* depot.pop, of one item; the caller has copied it */
inline popDepot(c) {
	depot[c].n--;
	depot[c].items[depot[c].n] = 0
#ifdef RETENTION
	; depot[c].age[depot[c].n] = 0
#ifndef LOW_NOT_LOWERED
	; depot[c].low = (depot[c].n < depot[c].low -> depot[c].n : depot[c].low)
#endif
#endif
}

/* depot.drop, of the oldest item */
inline dropOldest(c) {
	letGo(depot[c].items[0]);
	for (j : 1 .. depot[c].n-1) {
		depot[c].items[j-1] = depot[c].items[j]
#ifdef RETENTION
		; depot[c].age[j-1] = depot[c].age[j]
#endif
	}
	depot[c].n--;
	depot[c].items[depot[c].n] = 0;
#ifdef RETENTION
	depot[c].age[depot[c].n] = 0;
	depot[c].low = (depot[c].low > 0 -> depot[c].low - 1 : 0);
	depot[c].due = (depot[c].due > 0 -> depot[c].due - 1 : 0);
#endif
	j = 0
}

/* Engine.release: drop, then give. */
inline release(c, k) {
	d_step {
		r = k;
		for (h : 1 .. r) { dropOldest(c) }
		h = 0
	};
	atomic { idleTaken = idleTaken - r; r = 0; paid() }
}

/* Magazine.shift, of h items */
inline shift(m, h) {
	for (j : 0 .. SLOTS-1) {
		mag[m].slots[j] = (j + h < mag[m].size -> mag[m].slots[(j+h) % SLOTS] : 0)
	}
	mag[m].size = mag[m].size - h;
	j = 0
}

/* The older half goes to the depot: push(m.items()[:h]), m.shift(h). */
inline toDepot(c, m, h) {
	d_step {
		for (j : 0 .. h-1) { pushDepot(c, mag[m].slots[j]) }
		j = 0;
#ifndef NO_SHIFT
		shift(m, h)
#endif
	}
}

/* Engine.widen */
inline widen(m) { atomic {
	by = (mag[m].limit > 1 -> mag[m].limit : 1);
	by = (by > SLOTS - mag[m].limit -> SLOTS - mag[m].limit : by);
	if
	:: by > 0 && localTaken + by <= MAXLOCAL ->
		localTaken = localTaken + by;
		if
#ifdef WIDEN_UNPAID
		:: true -> mag[m].limit = mag[m].limit + by
#else
		:: idleTaken + by <= MAXIDLE -> idleTaken = idleTaken + by; mag[m].limit = mag[m].limit + by
		:: else -> localTaken = localTaken - by
#endif
		fi
	:: else
	fi;
	by = 0;
	paid()
} }

/* Engine.retire, of entry i of class c, for a round after so many. Which magazines look quiet is left
 * open: this is the test of Magazine.seen, and the end of a window, and more. */
inline retire(i, after) {
	part {
		if
		:: has(i) && cell(i) != EMPTY ->
			m = cell(i);
			cell(i) = EMPTY;
			/* limbo = append(...); round: e.round.Load() + after */
			atomic { mag[m].is = LIMBO; mag[m].round = after; m = 0 }
		:: else
		fi
	}
}

/* Engine.recall, of entry i */
#ifdef RECALL_TRUSTS_NEXT_ROUND
#define rounds 1
#else
#define rounds 2
#endif
inline recall(i) {
	if
	:: has(i) && cell(i) != EMPTY && mag[cell(i)].size > 0 -> retire(i, rounds)
	:: else
	fi
}

/* Engine.settle, of one magazine m of class c */
inline settle(c, m) {
	atomic {
		n = mag[m].size;
		localTaken = localTaken - mag[m].limit;
		if
		:: true ->			/* DOOMED, or unused for two windows */
			for (j : 0 .. n-1) { letGo(mag[m].slots[j]) }
			j = 0;
			idleTaken = idleTaken - mag[m].limit
		:: mag[m].is != DOOMED ->
#ifdef SETTLE_GIVES_ALL
			idleTaken = idleTaken - mag[m].limit;
#else
			idleTaken = idleTaken - (mag[m].limit - n);
#endif
			for (j : 0 .. n-1) { pushDepot(c, mag[m].slots[j]) }
			j = 0
		fi;
		/* Nobody refers to it any more: the collector has it. */
		for (j : 0 .. SLOTS-1) { mag[m].slots[j] = 0 }
		j = 0; n = 0;
		mag[m].size = 0; mag[m].limit = 0; mag[m].entry = 0; mag[m].round = 0;
		mag[m].is = FREE;
		paid()
	}
}

/* ---- Goroutines that get and put. ---- */

/* pin.Pin: on any P that nobody else is pinned to. Between two sections a goroutine may
 * have moved, whether or not the scheduler had a reason. */
inline pin() {
	atomic {
		if
		:: 0 < gomaxprocs && !pinned[0] -> p = 0
#if PS > 1
		:: 1 < gomaxprocs && !pinned[1] -> p = 1
#endif
#if PS > 2
		:: 2 < gomaxprocs && !pinned[2] -> p = 2
#endif
		fi;
		pinned[p] = 1;
		i = entryOf(p, c)
	}
}

inline unpin() { atomic { pinned[p] = 0; p = 0; i = 0; f = 0; m = 0; n = 0; s = 0 } }

/* Magazine.Pop: the last of n items, to x */
inline pop() {
	atomic { x = mag[m].slots[n-1]; popped(x) };
#ifdef UNPIN_EARLY
	pinned[p] = 0;
#endif
#ifndef NO_CLEAR
	mag[m].slots[n-1] = 0;
#endif
	s = mag[m].size;		/* state.add(pop): a load and a store */
	atomic { mag[m].size = s - 1; unpin() }
}

/* Magazine.Push: x on top of n items */
inline push() {
	atomic { mag[m].slots[n] = x; pushed(x) };
	s = mag[m].size;		/* state.add(push) */
	atomic { mag[m].size = s + 1; unpin() }
}

active [USERS] proctype user() {
	byte p, c, i;		/* P, class, entry */
	byte f;			/* array of the table */
	byte m, n, s;		/* magazine, its length, and once more */
	byte x;			/* the item */
	byte h, j, k, r, by;	/* to count with */
#if CLASSES == 2
	byte d;			/* the other class */
#endif
	bit putting, fresh;

rest:	atomic {
		if
		:: select(c : 0 .. CLASSES-1)		/* Get of some class */
		:: where[1] == OUT -> x = 1		/* Put of an item that any user got */
#if ITEMS > 1
		:: where[2] == OUT -> x = 2
#endif
#if ITEMS > 2
		:: where[3] == OUT -> x = 3
#endif
#if ITEMS > 3
		:: where[4] == OUT -> x = 4
#endif
		fi;
		if
		:: x != 0 -> where[x] = OFFERED; putting = 1; c = classOf(x)
		:: else
		fi;
		busy++;

		/* BytePool.Get and Put: the fast path. */
		pin();
		if
		:: !has(i) -> unpin(); goto slow
		:: else
		fi
	};
	f = tableFirst;					/* Entry: its load of first */
	inBounds(f, i);
	m = at(f, i);					/* Load */
	n = mag[m].size;				/* m.Len() */
	if
	:: putting && n < mag[m].limit ->		/* m.Room(n) */
		assert(n == 0 || mag[m].slots[n-1] != x);	/* m.Top(n) != x */
		push(); goto over
	:: !putting && n > 0 ->
		pop(); goto over
	:: else -> atomic { unpin(); goto slow }
	fi;

slow:	/* Engine.lock: pin, unpin, and grow if this P has no row and the class may have more
	 * slots. Whether it may is left open, and how many rows beyond its own. */
	atomic {
		pin();
		if
		:: has(i) -> unpin(); goto locked
		:: !has(i) -> unpin(); goto locked
		:: !has(i) -> k = p; unpin()
		fi
	};
	/* Engine.grow */
	atomic { !growth -> growth = 1 };
	atomic {
		if
		:: n = k + 1
		:: n = (gomaxprocs > k + 1 -> gomaxprocs : k + 1)
		fi;
		k = 0
	};
	if
	:: !has(n*CLASSES - 1) ->
#ifndef GROW_UNLOCKED
		for (k : 0 .. CLASSES-1) { lockDepot(k) }
#endif
		/* Table.grow */
		for (k : 0 .. n*CLASSES-1) {
			if
#ifndef GROW_FORGETS
			:: has(k) -> at(n, k) = cell(k)
#endif
			:: else -> at(n, k) = EMPTY
			fi
		}
		k = 0;
#ifdef LEN_BEFORE_FIRST
		tableLen = n*CLASSES;
		tableFirst = n;
#else
		tableFirst = n;
		tableLen = n*CLASSES;
#endif
#ifndef GROW_UNLOCKED
		for (k : 0 .. CLASSES-1) { unlockDepot(k) }
#endif
		k = 0
	:: else
	fi;
	atomic { growth = 0; n = 0 };
locked:
	lockDepot(c);
	goto again;
retry:	skip;			/* not pinned, but with the lock */
again:
	part {
	/* Engine.attach */
	pin();
	if
	:: !has(i) -> unpin(); m = NONE; goto attached
	:: else
	fi;
	f = tableFirst;
	inBounds(f, i);
	m = at(f, i);
	if
	:: m != EMPTY -> goto attached
	:: else
	fi;
	/* inLimbo */
	d_step {
		for (j : 1 .. MAGAZINES-1) {
			if
#ifdef LIMBO_OF_ANY_P
			:: mag[j].is == LIMBO && mag[j].entry % CLASSES == c ->
#else
			:: mag[j].is == LIMBO && mag[j].entry == i ->
				assert(m == EMPTY);	/* there is one at most */
#endif
				m = j
			:: else
			fi
		}
		j = 0
	}
	if
	:: m != EMPTY ->
		/* How much it hands over, and whether d.capLeft() < items, are left open. */
		if
		:: h = 0
		:: mag[m].size > 1 -> h = mag[m].size / 2		/* r.halve */
		:: h = mag[m].size; k = mag[m].limit - h	/* r.recalled, or d.slots > d.allowed() */
		:: mag[m].size > 0 -> unpin(); goto retry	/* reserve */
		fi;
		/* removeFromLimbo, entry.Store(m) */
		atomic {
			mag[m].is = TABLE; mag[m].round = 0; mag[m].entry = i;
			at(f, i) = m
		}
		toDepot(c, m, h);
		/* narrow */
		mag[m].limit = mag[m].limit - (h + k);
#ifdef HALVE_UNPAID
		idleTaken = idleTaken - h;
#endif
		localTaken = localTaken - (h + k);
#ifndef RECALL_KEEPS_PAY
		idleTaken = idleTaken - k;
#endif
		h = 0; k = 0
	:: m == EMPTY && fresh ->
		m = 1 + 2*i;			/* each entry has two that can be its */
		if
		:: mag[m].is != FREE -> m++; assert(mag[m].is == FREE)
		:: else
		fi;
		mag[m].is = TABLE; mag[m].entry = i;
		at(f, i) = m
	:: else ->
		unpin();
		fresh = 1;			/* new(Magazine), not while pinned */
		goto retry
	fi;
attached:
#ifdef PIN_OMITTED
	pinned[p] = 0;
#endif
	fresh = 0;
	if
	:: m != NONE -> n = mag[m].size
	:: else
	fi;
	if
	:: !putting -> goto get
	:: putting && m == NONE -> goto putDepot
	:: else
	fi;

	/* Engine.putLocked */
	assert(n == 0 || mag[m].slots[n-1] != x);
	if
	:: n >= mag[m].limit -> widen(m)
	:: else
	fi;
	if
	:: n < mag[m].limit -> push(); goto unlock
	:: else
	fi;
	h = (n + 1) / 2;
	if
	:: h == 0 -> unpin(); goto putDepot
	:: h > 0 -> unpin(); h = 0; goto retry		/* d.capLeft() < h: reserve */
	:: h > 0
	fi;
	if
	:: atomic { idleTaken + h <= MAXIDLE -> idleTaken = idleTaken + h };	/* idle.take */
		toDepot(c, m, h);
		n = n - h;
		push(); h = 0; goto unlock
	:: atomic { idleTaken + h > MAXIDLE -> unpin() }
	fi;
	if
	:: goto turned				/* evict finds nothing, or is told so by e.stale */
#if CLASSES == 2
	:: k = h; goto evict
#endif
	fi;

putDepot:	/* Engine.putDepot */
	m = 0; n = 0;
	if
#ifdef TAKE_IN_TWO_STEPS
	:: idleTaken + 1 <= MAXIDLE -> idleTaken++;
#else
	:: atomic { idleTaken + 1 <= MAXIDLE -> idleTaken++ };	/* idle.take */
#endif
		atomic { pushDepot(c, x); pushed(x) };
		goto unlock
	:: idleTaken + 1 > MAXIDLE
	fi;
	if
	:: goto turned
#if CLASSES == 2
	:: k = 1; goto evict
#endif
	fi;

turned:	/* away: dropped, and counted as full */
	atomic { assert(where[x] == OFFERED); where[x] = GONE; h = 0; goto unlock };

#if CLASSES == 2
evict:	/* Engine.evict for k, no longer pinned; then the loops of putLocked and putDepot go on */
	d = 1 - c;
	if
	:: atomic { !depot[d].mu -> depot[d].mu = 1 }	/* TryLock */
#ifndef EVICT_WAITS
	:: depot[d].mu -> k = 0; d = 0; goto turned
#endif
	fi;
#ifdef RETENTION
	k = (depot[d].low < k -> depot[d].low : k);
	assert(k == 0 || depot[d].age[k-1] >= 1);
#else
	k = (depot[d].n < k -> depot[d].n : k);
#endif
	release(d, k);
	unlockDepot(d);
	if
	:: k == 0 -> d = 0; goto turned
	:: else -> atomic { k = 0; d = 0; h = 0; goto retry }
	fi;
#endif

get:	/* Engine.getLocked */
	if
	:: m != NONE && n > 0 ->
		pop(); goto unlock
	:: else
	fi;
	if
	:: depot[c].n == 0 ->			/* a miss */
		if
		:: m != NONE -> unpin()
		:: else -> m = 0
		fi;
#ifdef FIT
		if
		:: c == 0 -> goto larger
		:: else
		fi;
#endif
		goto miss
	:: else
	fi;
	d_step {
		x = depot[c].items[depot[c].n-1];
		popDepot(c);
		popped(x)
	};
	idleTaken--;
	if
	:: m == NONE -> m = 0
	:: else ->
		if
		:: depot[c].n > mag[m].limit -> widen(m)
		:: else
		fi;
		d_step {
			h = (mag[m].limit + 1) / 2;
			h = (depot[c].n < h -> depot[c].n : h);
			/* Magazine.fill, depot.pop */
			for (j : 0 .. h-1) { mag[m].slots[j] = depot[c].items[depot[c].n - h + j] }
			for (j : 1 .. h) {
#ifdef REFILL_COPIES
				skip
#else
				popDepot(c)
#endif
			}
			j = 0
		};
		mag[m].size = mag[m].size + h;
#ifndef REFILL_PAYS_TWICE
		idleTaken = idleTaken - h;
#endif
		atomic { h = 0; unpin() }
	fi;
	goto unlock;

#ifdef FIT
larger:	/* Engine.larger: an item of class 1 for a request of class 0, with the lock of depot 0.
	 * largerLocal: from this P's own magazine. */
	atomic {
		pin();
#ifdef FIT_OF_ANY_P
		i = entryOf(PS-1-p, 1)
#else
		i = entryOf(p, 1)
#endif
	};
	if
	:: !has(i) -> unpin(); goto largerDepot
	:: else
	fi;
	f = tableFirst;
	inBounds(f, i);
	m = at(f, i);
	n = mag[m].size;
	if
	:: n > 0 -> pop(); goto unlock
	:: else -> unpin()
	fi;
largerDepot:
#ifndef FIT_UNLOCKED
	lockDepot(1);
#endif
	/* largerLimbo */
	atomic { pin(); i = entryOf(p, 1) };
	d_step {
		for (j : 1 .. MAGAZINES-1) {
			if
			:: mag[j].is == LIMBO && mag[j].entry == i -> m = j
			:: else
			fi
		}
		j = 0;
		n = mag[m].size
	};
	if
	:: n > 0 -> pop(); goto unlockLarger
	:: else -> unpin()
	fi;
	/* getDepot */
	if
	:: depot[1].n > 0 ->
		d_step {
			x = depot[1].items[depot[1].n-1];
			popDepot(1);
			popped(x)
		};
#ifndef FIT_UNPAID
		idleTaken--
#endif
	:: else
	fi;
unlockLarger:
#ifndef FIT_UNLOCKED
	unlockDepot(1);
#endif
	if
	:: x != 0 -> goto unlock
	:: else
	fi;
#endif

miss:	/* Engine.recall, or not */
	if
	:: true -> recall(entryOf(0, c))
#if PS > 1
	:: true -> recall(entryOf(1, c))
#endif
	:: skip
	fi;
	/* New makes an item, if the bounds allow one more; else it is one that never comes back */
	atomic {
		for (j : 1 .. ITEMS) {
			if
			:: x == 0 && where[j] == GONE && classOf(j) == c -> x = j; where[x] = OUT
			:: else
			fi
		}
		j = 0
	};

unlock:	atomic { unlockDepot(c); goto over }
	}
over:	atomic { x = 0; c = 0; putting = 0; done(); goto rest }
}

/* ---- Trim ---- */

inline trim() {
	atomic { !trimming -> trimming = 1 };
	for (c : 0 .. CLASSES-1) {
		part { lockDepot(c); retire(entryOf(0, c), 1) }
		part {
#if PS > 1
			retire(entryOf(1, c), 1);
#endif
			d_step {
				for (j : 1 .. MAGAZINES-1) {
					if
					:: (mag[j].is == LIMBO || mag[j].is == DOOMED) && mag[j].entry % CLASSES == c ->
						mag[j].is = DOOMED;
#ifndef TRIM_TRUSTS_NEXT_ROUND
						mag[j].round++;
#endif
					:: else
					fi
				}
				j = 0
			};
			release(c, depot[c].n);
			unlockDepot(c)
		}
	}
	c = 0;
	quiet;			/* pin.Quiesce */
	for (c : 0 .. CLASSES-1) {
		part {
			lockDepot(c);
			for (m : 1 .. MAGAZINES-1) {
				if
				:: mag[m].is == DOOMED && mag[m].entry % CLASSES == c -> settle(c, m)
				:: else
				fi
			}
			m = 0;
			unlockDepot(c)
		}
	}
	atomic { c = 0; trimming = 0 }
}

#ifdef TRIM
active proctype trimmer() {
	byte c, e, m, n, j, h, r;
rest:	atomic { busy++; skip };
	trim();
	atomic { done(); goto rest }
}
#endif

#ifdef RETENTION
/* The windows of Engine.age. A released item must have been in the depot, untouched, for a
 * whole window, which in the third case is as long as two. */
inline window() {
	atomic {
		depot[c].due = (depot[c].due < depot[c].low -> depot[c].due : depot[c].low);
		if
		:: select(k : 0 .. depot[c].due);
			assert(k == 0 || depot[c].age[k-1] == 2);
			release(c, k)
		:: k = depot[c].due;			/* the window closes */
			assert(k == 0 || depot[c].age[k-1] == 2);
			release(c, k);
			depot[c].due = depot[c].low;
			closes()
		:: k = depot[c].low;			/* a long cycle: two windows in one */
			assert(k == 0 || depot[c].age[k-1] >= 1);
			release(c, k);
			closes()
		fi;
		k = 0
	}
}

inline closes() {
	depot[c].low = depot[c].n;
	for (j : 0 .. depot[c].n-1) {
		depot[c].age[j] = (depot[c].age[j] < 2 -> depot[c].age[j] + 1 : 2)
	}
	j = 0
}
#endif

/* ---- A stop of the world, then the round that relies on it, whoever begins it: see
 * internal/gccycle. ---- */

#ifdef GC
active proctype collector() {
	byte c, e, m, n, j, h, r, k;
rest:
	atomic {
		grace;
		/* Nobody can refer to an array that the table has replaced. */
		if
		:: stopped && tableFirst > 1 ->
			for (e : 0 .. ENTRIES-1) { at(1, e) = EMPTY }
			e = 0
		:: else
		fi
	};
	/* Engine.reclaim; round.Add(1) */
	d_step {
		busy++;
		for (m : 1 .. MAGAZINES-1) {
			mag[m].round = (mag[m].round > 0 -> mag[m].round - 1 : 0)
		}
		m = 0
	};
	for (c : 0 .. CLASSES-1) {
		part {
			lockDepot(c);
			for (m : 1 .. MAGAZINES-1) {
				if
				:: (mag[m].is == LIMBO || mag[m].is == DOOMED) && mag[m].entry % CLASSES == c && mag[m].round == 0 ->
					settle(c, m)
				:: else
				fi
			}
			m = 0;
			if
			:: retire(entryOf(0, c), 1)
			:: skip
			fi
		}
		part {
#if PS > 1
			if
			:: retire(entryOf(1, c), 1)
			:: skip
			fi;
#endif
#ifdef RETENTION
			window();
#else
			if			/* any number may be due */
			:: release(c, depot[c].n)
			:: depot[c].n > 1 -> release(c, 1)
			:: skip
			fi;
#endif
			unlockDepot(c)
		}
	}
	c = 0;
#ifdef NEAR_LIMIT
	if
	:: trim()
	:: skip
	fi;
#endif
	atomic { done(); goto rest }
}
#endif

/* ---- Changes of GOMAXPROCS, while the world is stopped. ---- */

#if CHANGES > 0
active proctype changes() {
	byte k;
	for (k : 1 .. CHANGES) {
		atomic { stopped -> gomaxprocs = (gomaxprocs == PS -> 1 : PS) }
	}
}
#endif
