// Package copies copies pools, which go vet has to report. See TestVetReportsCopies.
package copies

import "github.com/basin-go/basin"

func Pool(p *basin.Pool[int]) basin.Pool[int] { return *p }

func FixedPool(p *basin.FixedPool) { _ = *p; q := *p; _ = q.Len() }
