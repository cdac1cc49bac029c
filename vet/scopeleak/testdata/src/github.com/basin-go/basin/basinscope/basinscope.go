package basinscope

type Scope struct{ Fresh bool }

func (s *Scope) Get(n int) []byte                      { return nil }
func (s *Scope) Append(dst []byte, src ...byte) []byte { return nil }
func (s *Scope) String(b []byte) string                { return "" }
func (s *Scope) Child() *Scope                         { return nil }
func (s *Scope) Defer(f func())                        {}
func (s *Scope) End()                                  {}

func New[T any](s *Scope) *T           { return nil }
func Slice[T any](s *Scope, n int) []T { return nil }
