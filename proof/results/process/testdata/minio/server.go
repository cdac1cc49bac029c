//go:build go1.25

package main

import (
	"io"
	"net"
	"net/http"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// The server uploads bodies of unknown length to a store, in parts of the least size. The store is in the process that
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

func connect(addr string) (func() (int, error), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		query := r.URL.Query()
		switch {
		case query.Has("uploads"):
			io.WriteString(w, "<InitiateMultipartUploadResult><Bucket>bucket</Bucket><Key>object</Key><UploadId>1</UploadId></InitiateMultipartUploadResult>")
		case query.Has("partNumber"):
			w.Header().Set("ETag", `"part"`)
		default:
			io.WriteString(w, `<CompleteMultipartUploadResult><Bucket>bucket</Bucket><Key>object</Key><ETag>"object"</ETag></CompleteMultipartUploadResult>`)
		}
	}))
	return overHTTP(addr, post("/", make([]byte, 100<<10), "Store: "+l.Addr().String()))
}
