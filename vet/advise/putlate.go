package advise

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Memory that goroutines have is put behind the wait for them, not at the end of a function that may panic before.

const errMayPanic = refusal("its function may panic while a goroutine has it: put it behind the wait for that")

// putLate moves the statement that defers the Put behind the wait for the last of the goroutines.
func (m *mend) putLate() error {
	stmt := m.makingStatement()
	var wait ast.Stmt
	if stmt != nil && !m.isSetAgain(stmt) {
		wait = m.lastWait(stmt)
	}
	put := m.takeDefer()
	if wait == nil || put == "" {
		return errMayPanic
	}
	return m.after(wait, put)
}

// makingStatement returns the statement of a list that makes the memory, or nil.
func (m *mend) makingStatement() ast.Stmt {
	if i := slices.IndexFunc(m.path, isList); i > 0 {
		stmt, _ := m.path[i-1].(ast.Stmt)
		return stmt
	}
	return nil
}

// takeDefer removes the only line of the edits that defers something, and returns it, or nothing.
func (m *mend) takeDefer() (put string) {
	isDefer := func(line string) bool {
		is := strings.HasPrefix(strings.TrimSpace(line), "defer ")
		if is {
			put = strings.TrimSpace(line)
		}
		return is
	}
	var found []int
	for i, e := range m.edits {
		for line := range strings.Lines(e.New) {
			if isDefer(line) {
				found = append(found, i)
			}
		}
	}
	if len(found) != 1 || strings.HasSuffix(put, "{") {
		return ""
	}
	e := &m.edits[found[0]]
	e.New = strings.Join(slices.DeleteFunc(strings.Split(e.New, "\n"), isDefer), "\n")
	return put
}

// isSetAgain reports whether the variable of a statement may have another value later.
func (m *mend) isSetAgain(stmt ast.Stmt) bool {
	var spec *ast.ValueSpec
	if i := slices.IndexFunc(m.path, func(n ast.Node) bool { _, ok := n.(*ast.ValueSpec); return ok }); i >= 0 {
		spec = m.path[i].(*ast.ValueSpec)
	}
	v, _ := declaredBy(stmt, spec)
	i := slices.IndexFunc(m.path, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
	return v == nil || i < 0 || m.setsAgain(m.path[i].(*ast.FuncDecl).Body, m.file.pkg.TypesInfo.Defs[v])
}

// lastWait returns the first statement behind another in its block after which all goroutines with the memory have ended.
func (m *mend) lastWait(stmt ast.Stmt) ast.Stmt {
	for s := m.next(stmt); s != nil; s = m.next(s) {
		if wait := m.waitIn(s); wait != nil && !slices.ContainsFunc(m.a.fate.late, func(start ssa.Instruction) bool { return mayRunAfter(start, wait) }) {
			return s
		}
	}
	return nil
}

// waitIn returns the wait that a statement surely begins with, for one of the goroutines, or nil.
func (m *mend) waitIn(stmt ast.Stmt) ssa.Instruction {
	if check, ok := stmt.(*ast.IfStmt); ok {
		stmt = check.Init
	}
	call := callOf(stmt)
	if call == nil {
		return nil
	}
	for _, start := range m.a.fate.late {
		for _, wait := range waitsOf(start) {
			if wait.Pos() == call.Lparen {
				return wait
			}
		}
	}
	return nil
}

// callOf returns the call that a statement is, or sets variables to, or nil.
func callOf(stmt ast.Stmt) *ast.CallExpr {
	var e ast.Expr
	switch s := stmt.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 {
			e = s.Rhs[0]
		}
	}
	call, _ := e.(*ast.CallExpr)
	return call
}

// mayRunAfter reports whether a goroutine may run after a wait: the wait is for others, or the goroutine is started again.
func mayRunAfter(start, wait ssa.Instruction) bool {
	waits := waitsOf(start)
	return !slices.Contains(waits, wait) && comesBefore(start, wait, waits...) || comesBefore(wait, start)
}
