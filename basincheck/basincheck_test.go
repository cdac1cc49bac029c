package basincheck_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/basin-go/basin"
	"github.com/basin-go/basin/basincheck"
	"github.com/basin-go/basin/internal/checktest"
)

func TestSet(t *testing.T) {
	for _, tt := range []struct {
		set, now basincheck.Settings
	}{
		{basincheck.Settings{}, basincheck.Settings{}},
		{basincheck.Settings{Every: 7, Guard: true}, basincheck.Settings{}},
		{basincheck.Settings{Level: basincheck.Sampled}, basincheck.Settings{Level: basincheck.Sampled, Every: basincheck.DefaultEvery}},
		{basincheck.Settings{Level: basincheck.Sampled, Every: 7, Guard: true}, basincheck.Settings{Level: basincheck.Sampled, Every: 7}},
		{basincheck.Settings{Level: basincheck.Full, Every: 7}, basincheck.Settings{Level: basincheck.Full}},
	} {
		checktest.Begin(t, basincheck.Settings{})
		basincheck.Set(tt.set)
		got := basincheck.Now()
		if got.Level != tt.now.Level || got.Every != tt.now.Every || got.Guard != tt.now.Guard {
			t.Errorf("after Set(%+v): %+v, want %+v", tt.set, got, tt.now)
		}
	}
	for _, bad := range []struct {
		c    basincheck.Settings
		want string
	}{
		{basincheck.Settings{Level: 3}, "Settings.Level is 3"},
		{basincheck.Settings{Level: basincheck.Sampled, Every: -1}, "Settings.Every is -1"},
	} {
		func() {
			defer func() {
				if msg := fmt.Sprint(recover()); !strings.Contains(msg, bad.want) {
					t.Errorf("Set(%+v): %s, want a panic with %q", bad.c, msg, bad.want)
				}
			}()
			basincheck.Set(bad.c)
		}()
	}
	names := fmt.Sprint(basincheck.Off, basincheck.Sampled, basincheck.Full, basincheck.Level(9))
	if want := "off sampled full Level(9)"; names != want {
		t.Errorf("levels are called %s, want %s", names, want)
	}
}

func TestSetHandlerAlone(t *testing.T) {
	told := checktest.Begin(t, checktest.Full)
	b := basin.Get(100)
	other := new(checktest.Collector)
	c := checktest.Full
	c.Handler = other.Handle
	basincheck.Set(c)
	basin.Put(b)
	basin.Put(b)
	if len(told.Take()) != 0 || !slices.Equal(checktest.Kinds(other.Take()), []basincheck.Kind{basincheck.DoublePut}) {
		t.Error("an exchanged handler was not told, alone, of what was out from before")
	}
}

func TestOutstanding(t *testing.T) {
	checktest.Begin(t, checktest.Full)
	if s := basincheck.Outstanding(); len(s) != 0 {
		t.Fatalf("at first: %v", s)
	}
	p := &basin.BytePool{Name: "big"}
	var held [][]byte
	for range 3 {
		held = append(held, p.Get(1000))
	}
	held = append(held, basin.Get(100))
	s := basincheck.Outstanding()
	if len(s) != 2 || s[0].Pool != "big" || s[0].Objects != 3 || s[0].Bytes != 3*1024 || !checktest.In(s[0].Stack) ||
		s[1].Pool != "default" || s[1].Objects != 1 || s[1].Bytes != 128 {
		t.Errorf("outstanding: %+v", s)
	}
	p.Put(held[0])
	if s := basincheck.Outstanding(); s[0].Objects != 2 {
		t.Errorf("after a Put: %+v", s)
	}
	basincheck.Set(basincheck.Settings{})
	if s := basincheck.Outstanding(); s != nil {
		t.Errorf("with checking off: %+v", s)
	}
	runtime.KeepAlive(held)
}
