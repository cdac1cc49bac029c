package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"github.com/dustin/go-humanize"
)

// maxCorpus is the most bytes of the corpus. Both the upstream and the load generator hold it
// in memory.
const maxCorpus = 1 << 30

// A file is one file of the corpus.
type file struct {
	name    string // slash-separated, relative to the corpus
	content []byte
}

// uri returns the URI of the file at the upstream and the gateway.
func (f file) uri() string {
	u := url.URL{Path: "/" + f.name}
	return u.RequestURI()
}

// readCorpus reads the regular files under dir. It skips unreadable ones.
func readCorpus(dir string) ([]file, error) {
	fsys := os.DirFS(dir)
	var files []file
	total := 0
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		if info.Size() > int64(maxCorpus-total) {
			return fmt.Errorf("the corpus %s holds more than %s, too much to keep in memory: name a smaller directory with -corpus", dir, humanize.IBytes(maxCorpus))
		}
		content, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil
		}
		total += len(content)
		files = append(files, file{name, content})
		return nil
	})
	if err == nil && len(files) == 0 {
		err = errors.New("the corpus " + dir + " has no readable files: name a directory that has some with -corpus")
	}
	return files, err
}
