//go:build go1.25

package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// deposit puts x into d as P p does.
func (d *depot[T]) deposit(p uint, x T) {
	d.near.put(p, len(d.items))
	d.items = append(d.items, x)
}

// withdrawn takes an item of d as P p does.
func (d *depot[T]) withdrawn(p uint) T {
	x := d.take(p)
	d.pop(1)
	return x
}

// TestNear: a P gets the newest of the items that it has put, if not many others are newer, and else the newest of all.
func TestNear(t *testing.T) {
	var d depot[int]
	for i, p := range []uint{1, 2, 1, 2, 3} {
		d.deposit(p, 10+i)
	}
	expect(t, "P 2 gets", d.withdrawn(2), 13)
	expect(t, "P 1 gets", d.withdrawn(1), 12)
	expect(t, "P 2 then gets", d.withdrawn(2), 11)
	expect(t, "P 2, which has put no other, gets", d.withdrawn(2), 14)
	expect(t, "P 3 gets", d.withdrawn(3), 10)

	d.deposit(5, 50)
	for i := range len(d.near) - 1 {
		d.deposit(6, i)
	}
	expect(t, "P 5 gets", d.withdrawn(5), 50)
	d.deposit(5, 50)
	for i := range len(d.near) {
		d.deposit(6, 20+i)
	}
	expect(t, "after too many others, P 5 gets", d.withdrawn(5), 20+len(d.near)-1)
}

// TestNearNeverLoses takes items in any way, and finds each of them once.
func TestNearNeverLoses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var d depot[int]
	var want []int
	next := 0
	remove := func(x int) {
		i := slices.Index(want, x)
		if i < 0 {
			t.Fatalf("%d is not in the depot", x)
		}
		want = slices.Delete(want, i, i+1)
	}
	for range 200_000 {
		switch p := uint(r.IntN(20)); r.IntN(8) {
		case 0, 1, 2:
			d.deposit(p, next)
			want = append(want, next)
			next++
		case 3, 4, 5:
			if len(d.items) > 0 {
				remove(d.withdrawn(p))
			}
		case 6:
			d.push([]int{next, next + 1})
			want = append(want, next, next+1)
			next += 2
		case 7:
			if n := len(d.items); n > 20 {
				for _, x := range d.items[:n/2] {
					remove(x)
				}
				d.drop(n / 2)
			}
		}
	}
	slices.Sort(want)
	expect(t, "left", slices.Sorted(slices.Values(d.items)), want)
}
