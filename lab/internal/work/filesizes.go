package work

import (
	"io/fs"
	"math/rand/v2"
	"path/filepath"

	"github.com/basin-go/basin/lab/internal/demo"
)

// FileSizes returns the lengths of the files in the source of the Go distribution that are not
// empty, in random order. Without a Go distribution, it returns lengths with a similar
// distribution.
func FileSizes() (sizes []int) {
	config := demo.Config{Duration: 1, Concurrency: 1}
	if config.Complete() == nil {
		filepath.WalkDir(config.Corpus, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			if info, err := d.Info(); err == nil && info.Size() > 0 && info.Size() <= 4<<20 {
				sizes = append(sizes, int(info.Size()))
			}
			return nil
		})
	}
	r := rand.New(rand.NewPCG(1, 2))
	if len(sizes) < 1000 {
		sizes = nil
		for range 10_000 {
			sizes = append(sizes, 1+r.IntN(1<<(8+r.IntN(9))))
		}
	}
	r.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes
}
