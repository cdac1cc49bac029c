package held

import "github.com/rs/zerolog"

// Altinity/clickhouse-backup#670: an event is kept and sent twice.
type backuper struct{ log *zerolog.Logger }

func (b *backuper) BugDownload670(tables []string, load func(string) (int64, error)) error {
	e := b.log.Info().Str("operation", "download")
	var total int64
	for _, t := range tables {
		n, err := load(t)
		if err != nil {
			b.log.Error().Str("table", t).Msg(err.Error())
			return err
		}
		total += n
		e.Str("table", t).Msg("done") // BUG
	}
	return nil
}
