/*
 * A model of Limit: of a quota within another, and of users that take from them, wait, give up, are refused, go
 * beyond, and reserve, while their maxima change. proof/check verifies it, as it does engine.pml. Names are those of
 * internal/quota.
 *
 * Steps. A load or a compare-and-swap of a state is a step, and so are a load of a maximum, a lock and an unlock.
 * Between them any other process may run.
 *
 * Nobody waits for ever: that would be an invalid end state. Patient users do not give up, so they need their
 * wake-ups; nobody waits for what is there. Whoever holds anything does not wait, so reservations cannot wait for each other. In the end nothing is
 * taken. No request overtakes those that wait, and without force no more is taken than the maximum ever was.
 */

#ifndef USERS
#define USERS 3		/* goroutines */
#endif
#ifndef ROUNDS
#define ROUNDS 1	/* requests of each */
#endif
#ifndef MOST
#define MOST 2		/* the maximum of each quota at the start */
#endif

/* Quotas: each lies within the one with the next lower number. */
#define OUTER 1
#define INNER 2
#define END 0

mtype = { TAKE, TRY, FORCE, RESERVE }
mtype = { NOTHING, WAITS, SERVED, FAILED }

/* The state of each quota, which is one word: the amount taken, and someWait. */
byte taken[3] = 1;		/* by keeper */
bit someWait[3];
byte limit[3] = MOST;		/* Quota.max */
bit locked[3];			/* the lock of the list of waiters */
chan queue[3] = [USERS] of { byte };

byte need[USERS];
mtype status[USERS] = NOTHING;
byte forced[3];			/* ghost: what Force took */
byte ended;			/* ghost: users and keepers at their end */

#define bounded(q) assert(taken[q] <= MOST + forced[q])

inline lock(q) { atomic { !locked[q] -> locked[q] = 1 } }
inline unlock(q) { locked[q] = 0 }

/*
 * A compare-and-swap succeeds only if the state is as loaded. So if the maximum is constant, both loads, the decision
 * and the swap are like one step.
 */
#ifdef SETMAX
#define STEP
#else
#define STEP atomic
#endif

/* Quota.tryTake */
inline tryTake(q, n) {
	STEP { do
	:: atomic { ok = 0; t = taken[q]; s = someWait[q];
		if
		:: s || t + n > limit[q] -> break
		:: else
		fi };
		atomic {
			if
			:: taken[q] == t && someWait[q] == s ->
				assert(empty(queue[q]));	/* nobody is overtaken */
				taken[q] = t + n; ok = 1; bounded(q); break
			:: else
			fi
		}
	od }
}

/* Quota.serve, and the unlock after it; the lock is held, so nobody else changes the queue */
inline serve(q) {
	do
	:: STEP {
		atomic { t = taken[q]; s = someWait[q]; w = 0;
			if
			:: nempty(queue[q]) ->
				queue[q] ? <w>;
				if
				:: t + need[w] > limit[q] -> unlock(q); break
				:: else
				fi
			:: empty(queue[q])
			fi
		};
		atomic {
			if
			:: taken[q] != t || someWait[q] != s
			:: else ->
				if
				:: empty(queue[q]) -> someWait[q] = 0; unlock(q); break
				:: nempty(queue[q]) ->
					taken[q] = t + need[w]; bounded(q);
					queue[q] ? w; status[w] = SERVED
				fi
			fi
		}
	}
	od
}

/* Quota.give, and serveAll if anyone waits */
inline give(q, n) {
	atomic { assert(taken[q] >= n); taken[q] = taken[q] - n; s = someWait[q] };
	if
	:: s -> lock(q); serve(q)
	:: else
	fi
}

/* In the end nothing is taken. */
inline leave() {
	atomic {
		ended++;
		if
		:: ended == USERS+1 -> assert(taken[OUTER] == 0 && taken[INNER] == 0 && empty(queue[OUTER]) && empty(queue[INNER]))
		:: else
		fi
	}
}

active [USERS] proctype user() {
	byte me, q, at, n, held, stop, t, w, rounds;
	bit s, ok, patient;
	mtype kind;

	me = _pid;

next:	atomic {
		held = 0; ok = 0; s = 0; t = 0;
		if
		:: rounds == ROUNDS -> goto end
		:: else -> rounds++
		fi;
#ifdef FLAT
		q = OUTER;		/* and the inner one is not used */
#else
		if :: q = OUTER :: q = INNER fi;
#endif
		if :: n = 1 :: n = MOST fi;
		if :: patient = 1 :: patient = 0 fi;
#ifdef FLAT
		if :: kind = TAKE :: kind = FORCE fi;
#else
		if :: kind = TAKE :: kind = TRY :: kind = FORCE :: kind = RESERVE fi;
#endif
		at = q;
		if
		:: kind == TRY -> patient = 0; goto try
		:: kind == FORCE -> patient = 0; goto force
		:: else
		fi
	};

	/* Quota.Take, Quota.Reserve: one quota after the other, each by Quota.take */
take:	if
	:: at == END -> goto got
	:: else
	fi;
	tryTake(at, n);
	if
	:: ok -> at--; goto take
	:: else
	fi;
	lock(at);
	STEP { do
	:: nempty(queue[at]) -> break
	:: empty(queue[at]) ->
		atomic { t = taken[at]; s = someWait[at];
		if
		:: n > limit[at] -> unlock(at); goto refused
		:: else
		fi };
		if
		:: t + n > limit[at] ->
#ifdef SOME_WAIT_LATE
			break
#else
			atomic {
				if
				:: taken[at] == t && someWait[at] == s -> someWait[at] = 1; break
				:: else
				fi
			}
#endif
		:: else -> atomic {
			if
			:: taken[at] == t && someWait[at] == s ->
				taken[at] = t + n; bounded(at); unlock(at); at--; goto take
			:: else
			fi }
		fi
	od };
#ifndef TOO_LARGE_WAITS
	if
	:: n > limit[at] -> serve(at); goto refused
	:: else
	fi;
#endif
	atomic { queue[at] ! me; need[me] = n; status[me] = WAITS };
#ifdef SOME_WAIT_LATE
	unlock(at);
	someWait[at] = 1;
#else
#ifdef NO_SERVE_AFTER_ADD
	unlock(at);
#else
	serve(at);
#endif
#endif
	/* List.Wait */
	if
	:: status[me] != WAITS
	:: !patient ->
		lock(at);
		if
		:: status[me] == WAITS ->
			atomic { queue[at] ?? eval(me); status[me] = FAILED };
#ifndef LEAVES_SILENTLY
			serve(at)	/* if a large request leaves, later ones may fit */
#else
			unlock(at)
#endif
		:: else -> unlock(at)
		fi
	fi;
	atomic {
		ok = (status[me] == SERVED); status[me] = NOTHING; need[me] = 0;
		if
		:: ok -> at--; goto take
		:: else
		fi
	};

refused: /* GiveBelow: what the quotas below have given */
	atomic { stop = at; at = q };
#ifndef GIVE_BACK_FORGOTTEN
	do
	:: at > stop -> give(at, n); at--
	:: else -> break
	od;
#endif
	goto release;

	/* Quota.TryTake: of a request that does not wait */
try:	do
	:: at > END ->
		tryTake(at, n);
		if
		:: ok -> at--
		:: else -> goto refused
		fi
	:: else -> goto got
	od;

force:	do
	:: at > END -> atomic { taken[at] = taken[at] + n; forced[at] = forced[at] + n; at-- }
	:: else -> break
	od;

got:	atomic {
		held = held + n;
		if
		:: kind == RESERVE -> at = q; n = 1
		:: else -> goto release
		fi
	};
	/* Account.TryTake of more than is reserved: its holder does not wait. */
#ifdef HOLDER_WAITS
	atomic { kind = TAKE; patient = 1; goto take };
#endif
	do
	:: at > END ->
		tryTake(at, n);
		if
		:: ok -> at--
		:: else -> break
		fi
	:: else -> held++; break
	od;
	if
	:: at > END ->
		atomic { stop = at; at = q };
		do
		:: at > stop -> give(at, n); at--
		:: else -> break
		od
	:: else
	fi;
	/* Account.Close gives back what is not used. */
	atomic { at = q; held-- };
	do
	:: at > END -> give(at, 1); at--
	:: else -> break
	od;

release: at = q;
	do
	:: at > END && held > 0 ->
		give(at, held);
		atomic {
			if
			:: kind == FORCE -> forced[at] = forced[at] - held
			:: else
			fi;
			at--
		}
	:: else -> break
	od;
	goto next;

end:	leave()
}

/* Keeper gives its part back when nobody can go on. Then nobody may wait for what is there. */
active proctype keeper() {
	byte q, t, w;
	bit s;

	timeout ->
	atomic {
		for (q : OUTER .. INNER) {
			if
			:: nempty(queue[q]) -> queue[q] ? <w>; assert(taken[q] + need[w] > limit[q])
			:: empty(queue[q])
			fi
		}
		w = 0
	};
	give(INNER, 1);
	give(OUTER, 1);
	leave()
}

#ifdef SETMAX
/* Quota.SetMax, of one quota */
active proctype setMax() {
	byte q, t, w, k;
	bit s, again;

more:	atomic {
#ifdef FLAT
		q = OUTER;
#else
		if :: q = OUTER :: q = INNER fi;
#endif
		if :: limit[q] = 1 :: limit[q] = MOST fi
	};
#ifndef SETMAX_ALONE
	lock(q);
	/* List.FailAbove */
	atomic {
		for (k : 0 .. USERS-1) {
			if
			:: status[k] == WAITS && queue[q] ?? [eval(k)] && need[k] > limit[q] ->
				queue[q] ?? eval(k); status[k] = FAILED
			:: else
			fi
		}
		k = 0
	};
	serve(q);
#endif
	if
	:: !again -> again = 1; goto more
	:: skip
	fi
}
#endif
