//go:build go1.25

package misuse_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/guard"
	"github.com/basin-go/basin/internal/testenv"
)

const operationVariable = "BASIN_TEST_OPERATION"

// Outcomes of an operation on memory that was put, under Catch.
const (
	caught   = "caught"   // Catch returns the report
	ends     = "ends"     // the process ends, because the runtime holds a lock, or runs on a stack of its own
	broken   = "broken"   // Catch returns the report, and the process ends at the next use of the map
	efault   = "EFAULT"   // the system call returns it
	accepted = "accepted" // there is no access
)

// operations are those that the runtime or the system carries out, with their outcome. Package touches_test has
// those of packages.
var operations = []struct {
	name string
	want string
	do   func(b []byte) error
}{
	{"read", caught, func(b []byte) error { sinkInt = int(b[0]); return nil }},
	{"write", caught, func(b []byte) error { b[0] = 1; return nil }},
	{"copy", caught, func(b []byte) error { copy(b, "abc"); return nil }},
	{"append of it", caught, func(b []byte) error { sinkBytes = append(sinkBytes, b...); return nil }},
	{"append to it", caught, func(b []byte) error { sinkBytes = append(b, 1); return nil }},
	{"clear", caught, func(b []byte) error { clear(b); return nil }},
	{"==", caught, func(b []byte) error { sinkBool = text(b) == strings.Repeat("x", len(b)); return nil }},
	{"== of structs", caught, func(b []byte) error {
		sinkBool = *(*[100]byte)(b) == [100]byte{}
		return nil
	}},
	{"== of interfaces", caught, func(b []byte) error {
		var x, y any = text(b), strings.Repeat("x", len(b))
		sinkBool = x == y
		return nil
	}},
	{"string of it", caught, func(b []byte) error { sinkString = string(b); return nil }},
	{"runes of it", caught, func(b []byte) error { sinkInt = len([]rune(text(b))); return nil }},
	{"concatenation", caught, func(b []byte) error { sinkString = text(b) + "x"; return nil }},
	{"range over a string", caught, func(b []byte) error {
		for _, r := range text(b) {
			sinkInt += int(r)
		}
		return nil
	}},
	{"conversion to an interface", caught, func(b []byte) error { sinkAny = *(*[100]byte)(b); return nil }},
	{"argument of a go statement", caught, func(b []byte) error {
		go func(byte) {}(b[0])
		return nil
	}},
	{"print", ends, func(b []byte) error { print(text(b)); return nil }},
	{"panic with it", ends, func(b []byte) error { panic(text(b)) }},

	{"send", ends, func(b []byte) error {
		c := make(chan byte, 1)
		c <- b[0]
		return nil
	}},
	{"send of a copy", caught, func(b []byte) error {
		c := make(chan byte, 1)
		x := b[0]
		c <- x
		return nil
	}},
	{"select with a send", caught, func(b []byte) error { // which copies it before
		c, d := make(chan byte, 1), make(chan byte, 1)
		select {
		case c <- b[0]:
		case d <- b[1]:
		}
		return nil
	}},
	{"receive into it", caught, func(b []byte) error {
		c := make(chan byte, 1)
		c <- 1
		b[0] = <-c
		return nil
	}},
	{"reflect.Send", ends, func(b []byte) error {
		reflect.ValueOf(make(chan byte, 1)).Send(reflect.ValueOf(b).Index(0))
		return nil
	}},

	{"map lookup", caught, func(b []byte) error { sinkInt = operationMap[text(b)]; return nil }},
	{"map value", caught, func(b []byte) error { operationMap["x"] = int(b[0]); return nil }},
	{"map key", caught, func(b []byte) error { operationMap[text(b)] = 1; return nil }},
	{"map key that is converted", caught, func(b []byte) error { operationMap[string(b)] = 1; return nil }},
	{"delete from a map", caught, func(b []byte) error { delete(operationMap, text(b)); return nil }},
	{"lookup beside a key", caught, func(b []byte) error { sinkInt = operationMap[operationKey]; return nil }},
	{"assignment beside a key", broken, func(b []byte) error { operationMap[operationKey] = 1; return nil }},
	{"deletion beside a key", broken, func(b []byte) error { delete(operationMap, operationKey); return nil }},

	{"write of a file", efault, func(b []byte) error {
		f, err := os.CreateTemp("", "")
		if err != nil {
			return err
		}
		defer os.Remove(f.Name())
		defer f.Close()
		_, err = f.Write(b)
		return err
	}},
	{"read of a pipe", efault, func(b []byte) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		go io.WriteString(w, "abc")
		_, err = r.Read(b)
		return err
	}},
	{"name of a file", caught, func(b []byte) error { _, err := os.Stat(text(b)); return err }},
	{"runtime.Stack", ends, func(b []byte) error { runtime.Stack(b, false); return nil }},
	{"length", accepted, func(b []byte) error { sinkInt = len(b[10:]); return nil }},
}

var (
	sinkBytes []byte
	sinkBool  bool
	sinkAny   any

	operationMap = map[string]int{"x": 1}
	operationKey string // equal to a key of the map that refers to the memory
)

// text is the string of b, without a copy.
func text(b []byte) string { return unsafe.String(&b[:1][0], len(b)) }

// TestOperations: which operations of the runtime on late memory Catch can recover from. Those that it cannot
// are listed in docs/decisions/guard.md.
func TestOperations(t *testing.T) {
	if name := os.Getenv(operationVariable); name != "" {
		runOperation(name)
		return
	}
	if !guard.Available || runtime.GOOS == "windows" || testenv.Race {
		t.Skip("no guarded memory, or other errors, or accesses of the race detector first")
	}
	for _, o := range operations {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOperations$")
		cmd.Env = append(os.Environ(), operationVariable+"="+o.name, "BASIN_CHECK=sampled=1,guard")
		out, err := cmd.CombinedOutput()
		got := ends
		for _, outcome := range []string{broken, caught, efault, accepted} {
			if strings.Contains(string(out), "outcome: "+outcome) {
				got = outcome
				break
			}
		}
		if got == caught && err != nil {
			got = broken
		}
		if got != o.want {
			t.Errorf("%s: %s, want %s: %v\n%.1000s", o.name, got, o.want, err, out)
		}
	}
}

// runOperation runs the named operation, and prints its outcome if the process does not end.
func runOperation(name string) {
	for _, o := range operations {
		if o.name != name {
			continue
		}
		b := touchPool.Get(1000)
		for i := range 20 { // more than the runtime compares one by one
			operationMap[fmt.Sprint(i)] = i
		}
		if strings.HasSuffix(name, "beside a key") {
			clear(b)
			operationMap[text(b)], operationKey = 1, strings.Repeat("\x00", len(b))
		}
		touchPool.Put(b)
		var failed error
		outcome := accepted
		if basincheck.Catch(func() { failed = o.do(b) }) != nil {
			outcome = caught
		} else if errors.Is(failed, syscall.EFAULT) {
			outcome = efault
		}
		fmt.Println("outcome: " + outcome)
		operationMap["z"]++
		basin.Put(basin.Get(100))
		os.Exit(0)
	}
}
