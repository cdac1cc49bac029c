package remote

import "time"

// SetTimeout has a reading take at most d.
func (s *Source) SetTimeout(d time.Duration) { s.timeout = d }
