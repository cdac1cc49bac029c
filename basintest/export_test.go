package basintest

import (
	"time"

	"github.com/basin-go/basin/internal/pooltest"
)

func init() {
	if !pooltest.Long() { // many tests wait in vain, which takes all of it
		patience = 200 * time.Millisecond
	}
}
