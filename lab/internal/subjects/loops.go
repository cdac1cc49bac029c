package subjects

// Subjects that are measured only in loops without an interface, which package work contains.

func init() {
	Register(&Subject{
		Name: "bytes.Buffer", Kind: Standard, Source: "bytes",
		About: "one variable, or a new one each time, as the loop says; and io.ReadAll",
	}, &Subject{
		Name: "two atomic adds", Kind: Technique, Source: "sync/atomic",
		About: "the least cost of counting references",
	}, &Subject{
		Name: "semaphore", Kind: Technique, Source: "golang.org/x/sync/semaphore",
		About: "a weighted semaphore around a BytePool without a ceiling",
	})
}
