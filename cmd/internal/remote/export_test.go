package remote

import "time"

// SetTimeout sets the time limit of a reading.
func (s *Source) SetTimeout(d time.Duration) { s.timeout = d }
