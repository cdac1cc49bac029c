package remote

import "time"

// SetTimeout has a reading take as long as a slow machine needs.
func (s *Source) SetTimeout(d time.Duration) { s.timeout = d }
