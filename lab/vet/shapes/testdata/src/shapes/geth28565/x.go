// What was put on an error is put again by the caller's cleanup.
package geth28565

import "shapes/geth28565/trie"

func BugCleanup(data []byte) error {
	h := trie.Hasher()
	if err := trie.Hash(h, data); err != nil {
		trie.Return(h) // BUG
		return err
	}
	trie.Return(h)
	return nil
}

func BugClose(data []byte) {
	it := trie.Open()
	it.Next()
	it.Close()
	trie.Recycle(it) // BUG
}

func LegalCleanup(data []byte) error {
	h := trie.Hasher()
	if err := trie.Hash(h, data); err != nil {
		return err
	}
	trie.Return(h)
	return nil
}

func LegalChecked(data []byte) error {
	h := trie.Hasher()
	defer trie.Return(h)
	return trie.Check(h, data)
}

func LegalClose() {
	it := trie.Open()
	defer it.Close()
	it.Next()
}
