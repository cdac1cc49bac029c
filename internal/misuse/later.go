//go:build go1.25

package misuse

// Count counts f and tells nobody.
func Count(f Finding) { count(&f) }

// ReportLater is [Report] for a finding that the present call has not caused. The handler is called on
// another goroutine.
func ReportLater(f Finding) {
	count(&f)
	if l := handler.Load(); l != nil && l.tell != nil {
		leaks.tell(func() { l.tell(&f) })
	}
}
