//go:build go1.25 && basin_sched

package pin

import (
	"time"

	"github.com/basin-go/basin/proof/sched"
)

// Available is true: the scheduler's threads can be pinned.
const Available = true

func Pin() int           { return sched.Pin() }
func Unpin()             { sched.Unpin() }
func Quiesce()           { sched.Stop() }
func Now() time.Duration { return sched.Now() }
