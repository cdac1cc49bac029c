// An event of zerolog is ended twice.
package clickhousebackup670

import "github.com/rs/zerolog"

func BugTwice(log zerolog.Logger, table string) {
	e := log.Info().Str("table", table)
	e.Msg("begin")
	e.Msg("done") // BUG
}

func BugLoop(log zerolog.Logger, tables []string) {
	e := log.Info()
	for _, t := range tables {
		e.Str("table", t).Send() // BUG
	}
}

func BugLater(log zerolog.Logger, n int) {
	e := log.Info()
	e.Msg("begin")
	e.Int("n", n) // BUG
}

func LegalTwice(log zerolog.Logger, table string) {
	log.Info().Str("table", table).Msg("begin")
	log.Info().Str("table", table).Msg("done")
}

func LegalLoop(log zerolog.Logger, tables []string) {
	for _, t := range tables {
		e := log.Info()
		e = e.Str("table", t)
		e.Send()
	}
}

func LegalBranches(log zerolog.Logger, err error) {
	e := log.Info()
	if err != nil {
		e.Err(err).Msg("failed")
		return
	}
	e.Msg("done")
}

func LegalSwitch(log zerolog.Logger, n int) {
	e := log.Info()
	switch {
	case n == 0:
		e.Msg("none")
	case n > 9:
		e.Int("n", n).Msg("many")
	default:
		e.Send()
	}
}

// An array and a dictionary are values of their own, from pools of their own.
func LegalNested(log zerolog.Logger) {
	e := log.Info().Str("a", "b")
	e.Array("array", e.CreateArray().Str("x").Dict(e.CreateDict().Str("k", "v"))).Msg("done")
}
