//go:build go1.25

package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// The server uploads bodies of 10 KiB to 1 MiB, whose length it does not ask for, to a store, in parts of the least size. The store is in the process that
// loads the server, and a header of the request has its address.
func serve(l net.Listener) error {
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, err := minio.New(r.Header.Get("Store"), &minio.Options{
			Creds: credentials.NewStaticV4("user", "password", ""), Region: "us-east-1", Transport: transport,
		})
		if err != nil {
			panic(err)
		}
		info, err := client.PutObject(r.Context(), "bucket", "object", r.Body, -1, minio.PutObjectOptions{PartSize: 5 << 20})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		io.WriteString(w, info.ETag)
	}))
}

func connect(addr string) (request, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in io.Reader = r.Body
		if strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING") {
			in = httputil.NewChunkedReader(in) // leaves the signatures out, which have the time in them
		}
		body := crc32.NewIEEE()
		io.Copy(body, in)
		io.Copy(io.Discard, r.Body)
		query := r.URL.Query()
		switch {
		case query.Has("uploads"):
			io.WriteString(w, "<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>object</Key><UploadId>1</UploadId></InitiateMultipartUploadResult>")
		case query.Has("partNumber"):
			w.Header().Set("ETag", fmt.Sprintf(`"%08x"`, body.Sum32()))
		default: // the body has the tags of the parts
			fmt.Fprintf(w, `<CompleteMultipartUploadResult><Bucket>bucket</Bucket><Key>object</Key><ETag>"%08x"</ETag></CompleteMultipartUploadResult>`, body.Sum32())
		}
	}))
	store := "Store: " + l.Addr().String()
	return overHTTP(addr, post("/", bytes.Repeat([]byte("a"), 10<<10), store), post("/", bytes.Repeat([]byte("b"), 100<<10), store), post("/", bytes.Repeat([]byte("c"), 1<<20), store))
}
