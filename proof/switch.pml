/*
 * A model of check.Switch: pools with a ceiling, whose users get and put while checks begin, end and are
 * replaced. proof/check verifies it, as it does engine.pml. Names are those of the code.
 *
 * Steps. A load or store of the current tracker, of the tables or of a tracker's state is a step. So is
 * all work under one lock: of a shard of records, of a depot, of the ledger. The engine is a set of
 * idle items here, whose pops and pushes are single steps.
 *
 * Correct users never hear of a switch: no Put is reported as foreign, and no item as leaked that was put. No
 * item has two users, outstanding items never pass the ceiling, and at rest the account is exact. Users may
 * also lose items, which must be counted once.
 *
 * Ghosts know where each item ought to be; nothing in the model decides by them.
 */

#ifndef USERS
#define USERS 2		/* goroutines that get and put */
#endif
#ifndef ITEMS
#define ITEMS 2		/* that exist at a time */
#endif
#ifndef CEILING
#define CEILING 2	/* MaxInUse, in items */
#endif
#ifndef SWITCHES
#define SWITCHES 2
#endif

/* Where an item is: OFFERED to a Put, RELEASED or LOST until the collector finds it, HELD in quarantine. */
mtype = { GONE, OUT, OFFERED, IDLE, HELD, RELEASED, LOST }
mtype where[ITEMS+1] = GONE;
byte era[ITEMS+1];	/* ghost: switches before the Get of the item began */
byte outstanding;	/* ghost: items that are OUT or OFFERED */
byte lost;		/* ghost: items that the account still counts, although they are lost */
byte busy;		/* operations under way */
byte serial;		/* ghost: the latest tracker that became current */

bit hide;		/* the fast paths are off */
byte current;		/* the current tracker, or 0; trackers are numbered in their order */
bit whole[SWITCHES+1];
bit closed[SWITCHES+1];

byte record[ITEMS+1];	/* the tracker that has a record of the item, or 0 */
bit onEnd[ITEMS+1];	/* the record reports the death of the item to the ledger */
bit cleanup[ITEMS+1];	/* the item does itself */
bit known[ITEMS+1];	/* AddressSet: the ledger knows the item */
byte taken;		/* of the quota */
byte owed;		/* released + surplus - deaths, of the classLedger */

#define seen(x) (where[x] != RELEASED && where[x] != LOST)
#if ITEMS == 2
#define allSeen (seen(1) && seen(2))
#else
#define allSeen (seen(1) && seen(2) && seen(3))
#endif

/* done ends an operation. At rest the account is exact. */
inline done() {
	d_step {
		busy--;
		if
		:: busy == 0 && allSeen -> assert(taken == outstanding)
		:: else
		fi
	}
}

inline handOut(place) {
	assert(where[x] == GONE || where[x] == IDLE);
	where[x] = place; outstanding++; era[x] = began;
	assert(outstanding <= taken && taken <= CEILING)
}

/* life.died: classLedger.settle and lose */
inline died() {
	if
	:: owed > 0 -> owed--
	:: else -> assert(lost > 0); lost--; taken--
	fi
}

/* anItem: x becomes an item in the given place, or 0 */
inline anItem(place) {
	x = 0;
	for (k : 1 .. ITEMS) {
		if
		:: x == 0 && where[k] == place -> x = k
		:: else
		fi
	}
	k = 0
}

active [USERS] proctype user() {
	byte x, t, k, began;
	bit tracked;

rest:	atomic {
		began = 0; t = 0; tracked = 0; x = 0;
		if
		:: skip
		:: where[1] == OUT -> x = 1
		:: where[2] == OUT -> x = 2
#if ITEMS > 2
		:: where[3] == OUT -> x = 3
#endif
		fi;
		busy++;
		if
		:: x != 0 -> where[x] = OFFERED; goto put
		:: else -> began = serial
		fi
	};

	/* Get: room first, which TryTake takes. */
	atomic {
		if
		:: taken < CEILING -> taken++
		:: else -> done(); goto rest
		fi
	};
	if
	:: !hide -> goto untracked		/* the fast path */
	:: hide
	fi;
	t = current;
	if
	:: t != 0 && !whole[t] -> goto untracked	/* not picked */
	:: t != 0 -> skip
	:: t == 0 -> goto untracked
	fi;
	/* checkedGet: Tracker.Array, table.add */
	atomic {
		anItem(GONE);
		if
		:: x == 0 -> taken--; done(); goto rest	/* the bounds allow no more */
		:: else
		fi;
		if
		:: !closed[t] -> record[x] = t
		:: else
		fi;
		handOut(OFFERED)		/* to nobody yet */
	};
	known[x] = 1;
	/* ledger.checked: OnEnd */
	atomic {
		if
		:: record[x] == t -> onEnd[x] = 1
#ifndef NO_ENDED_AT_ONCE
		:: else -> cleanup[x] = 1
#else
		:: else
#endif
		fi;
		where[x] = OUT;
		done(); goto rest
	};

untracked:
	atomic {
		anItem(IDLE);
		if
		:: x == 0 ->			/* a miss */
			anItem(GONE);
			if
			:: x == 0 -> taken--; done(); goto rest
			:: else -> known[x] = 1; cleanup[x] = 1	/* born */
			fi
		:: else
		fi;
		handOut(OUT);
		done(); goto rest
	};

put:
	if
	:: skip
	:: atomic { where[x] = LOST; lost++; outstanding--; done(); goto rest }
	fi;
	if
	:: !hide -> goto recycle
	:: hide
	fi;
	t = current;
	if
	:: t == 0 -> goto recycle
	:: else
	fi;
	/* Tracker.Put */
	atomic {
		if
		:: record[x] == t ->
			record[x] = 0; onEnd[x] = 0; where[x] = HELD; tracked = 1; outstanding--
#ifdef UNKNOWN_IS_FOREIGN
		:: record[x] != t && whole[t] -> assert(era[x] < t)
#else
		:: record[x] != t && whole[t] && !closed[t] -> assert(era[x] < t)	/* mayPredate: no report */
#endif
		:: else
		fi
	};
	if
	:: tracked -> atomic {			/* ledger.ended */
			assert(known[x]); known[x] = 0; taken--;
			done(); goto rest
		}
	:: else
	fi;

recycle:	/* ledger.knows, Engine.Put; the engine may have no room */
	atomic {
		assert(known[x]);
		outstanding--;
		if
		:: where[x] = IDLE
		:: where[x] = RELEASED; owed++
		fi
	};
	atomic { taken--; done(); goto rest }	/* ledger.credit */
}

/* check.Switch. Step numbers are those of its comment. */
active proctype switcher() {
	byte x, before, next, s;

	do
	:: s < SWITCHES ->
		atomic { s++; before = current; next = 0;
			if
			:: next = s; whole[s] = 1
			:: next = s
			:: next = 0
			fi
		};
#ifndef NO_HIDE
		hide = 1;			/* 1 */
#endif
#ifndef CLOSE_LATE
		closed[before] = 1;		/* 2 */
#endif
		atomic { current = next; if :: next -> serial = next :: else fi };	/* 3 */
#ifdef CLOSE_LATE
		closed[before] = 1;
#endif
		for (x : 1 .. ITEMS) {		/* 4: table.stop, shard by shard */
			atomic {
				if
				:: before != 0 && record[x] == before ->
					record[x] = 0;
					if
#ifdef END_FORGETS
					:: onEnd[x] -> onEnd[x] = 0
#else
					:: onEnd[x] -> onEnd[x] = 0; cleanup[x] = 1
#endif
					:: else
					fi
				:: else
				fi
			}
		}
		atomic { hide = (next != 0); x = 0; before = 0; next = 0 }	/* 5 */
	:: else -> break
	od
}

/* The engine releases idle items, the quarantine its oldest. The collector finds what nobody refers to. */
active proctype collector() {
	byte x;
	bit again;

end:	do
	:: atomic {
		select(x : 1 .. ITEMS);
		if
		:: where[x] == IDLE -> where[x] = RELEASED; owed++
		:: where[x] == HELD && !known[x] -> where[x] = GONE; era[x] = 0
		:: where[x] == RELEASED || where[x] == LOST ->
			/* table.died: a leak is reported, if the user is to blame */
			again = cleanup[x] || onEnd[x];
			if
			:: record[x] != 0 && !closed[record[x]] -> assert(where[x] == LOST)
			:: else
			fi;
			record[x] = 0; onEnd[x] = 0; cleanup[x] = 0; known[x] = 0;
			if
			:: again -> died()
			:: else
			fi;
			again = 0;
			where[x] = GONE; era[x] = 0;
			busy++; done()
		:: else
		fi;
		x = 0
	}
	od
}
