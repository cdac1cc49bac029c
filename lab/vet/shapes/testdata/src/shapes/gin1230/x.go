// Serving a context again from its own handler puts it twice.
package gin1230

import "shapes/gin1230/engine"

func BugServe(e *engine.Engine, path string) {
	c := e.Take()
	e.Handle(c, path)
	e.Give(c) // BUG
}

func BugDeferred(e *engine.Engine, path string) {
	c := e.Take()
	defer e.Give(c) // BUG
	if path == "" {
		e.Give(c) // ALSO
		return
	}
	c.Path = path
}

func LegalServe(e *engine.Engine, path string) {
	c := e.Take()
	e.HandleOnly(c, path)
	e.Give(c)
}

func LegalHandled(e *engine.Engine, path string) {
	c := e.Take()
	if path == "" {
		e.Give(c)
		return
	}
	e.Handle(c, path)
}

func LegalDeferred(e *engine.Engine, path string) {
	c := e.Take()
	defer e.Give(c)
	e.HandleOnly(c, path)
}
