package main

import (
	"fmt"

	"github.com/basin-go/basin/adapters/basincompress"
	"github.com/klauspost/compress/gzhttp"
)

func main() {
	var w basincompress.Writers
	if _, err := gzhttp.NewWrapper(gzhttp.Implementation(w.Gzip()), gzhttp.ZstdImplementation(w.Zstd())); err != nil {
		panic(err)
	}
	fmt.Println("basincompress works")
}
