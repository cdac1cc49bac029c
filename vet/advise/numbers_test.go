package advise

import "testing"

// TestReasonsOfNumbers has numbers of package big, which come from a pool if only their functions use them, by methods that copy.
func TestReasonsOfNumbers(t *testing.T) {
	const inside = "do not pool; math/big.(*Int).Add, or a function that it calls, makes this memory, unless its receiver has enough."
	judged(t, `package p

import (
	"fmt"
	"math/big"
)

func sum(all []*big.Int) []byte {
	total := new(big.Int)
	for _, x := range all {
		total.Add(total, x) // math/big.(*Int).Add: pool it; The memory does not leave sum.$
	}
	return total.Bytes()
}

func begins(x *big.Int, n int64) (int, string) {
	total, one := big.NewInt(n), big.NewInt(1)
	total.Add(total, x) // math/big.(*Int).Add: pool it; The memory does not leave begins. There is no patch: its value must not
	one.Lsh(one, 9000) // math/big.(*Int).Lsh: pool it; The memory does not leave begins. There is no patch: its value must not
	return total.Cmp(one), total.String()
}

func chained(b []byte, x *big.Int) int64 {
	return new(big.Int).SetBytes(b).Add(x, x).Int64() // math/big.(*Int).Add: pool it; The memory does not leave chained.$
}

func variable(x *big.Int) int {
	var y big.Int
	y.Add(x, x) // math/big.(*Int).Add: pool it; The memory does not leave variable. There is no patch: it is a variable: make it by new.$
	return y.BitLen()
}

func product(x *big.Int) int {
	y := new(big.Int)
	y.Add(x, x)
	y.Mul(y, x) // math/big.(*Int).Mul: do not pool; math/big.(*Int).Mul, or a function that it calls, makes this memory
	return y.BitLen()
}

func returned(x *big.Int) *big.Int {
	y := new(big.Int)
	return y.Add(x, x) // math/big.(*Int).Add: `+inside+`
}

func again(x *big.Int) *big.Int {
	y := new(big.Int)
	z := y.Add(x, x) // math/big.(*Int).Add: `+inside+`
	return z
}

func words(x *big.Int) []big.Word {
	y := new(big.Int)
	y.Add(x, x) // math/big.(*Int).Add: `+inside+`
	return y.Bits()
}

func given(x *big.Int, to []big.Word) int {
	y := new(big.Int).SetBits(to)
	y.Add(x, x) // math/big.(*Int).Add: `+inside+`
	return y.BitLen()
}

func copied(x *big.Int) big.Int {
	y := new(big.Int)
	y.Add(x, x) // math/big.(*Int).Add: `+inside+`
	return *y
}

func assigned(x *big.Int) int {
	y := new(big.Int)
	*y = *x
	y.Add(y, x) // math/big.(*Int).Add: `+inside+`
	return y.BitLen()
}

func captured(x *big.Int) func() int {
	y := new(big.Int)
	y.Add(x, x) // math/big.(*Int).Add: `+inside+`
	return func() int { return y.BitLen() }
}

func remainder(x, z *big.Int) *big.Int {
	y := new(big.Int)
	y.Add(x, x) // math/big.(*Int).Add: `+inside+`
	_, r := z.QuoRem(x, x, y)
	return r
}

func exported(x *big.Int) {
	y := new(big.Int)
	y.Add(x, x) // math/big.(*Int).Add: `+inside+`
	kept = y
	fmt.Println(y)
}

var kept *big.Int

func rounds(all []*big.Int) (n int) {
	for _, x := range all {
		y := new(big.Int)
		y.Add(x, x) // math/big.(*Int).Add: `+inside+`
		n += y.BitLen()
	}
	return n
}
`, nil)
}
