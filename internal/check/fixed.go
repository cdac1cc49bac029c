package check

// fixedRecords are records of memory that is never collected.
type fixedRecords struct{}

func (*fixedRecords) verify() []Finding      { return nil }
func (*fixedRecords) each(add func(*record)) {}
