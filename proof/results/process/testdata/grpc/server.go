//go:build go1.25

package main

import (
	"context"
	"io"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

var options []grpc.ServerOption // none, or basin's pool

var echo = grpc.ServiceDesc{
	ServiceName: "Echo",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Echo",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var in wrapperspb.BytesValue
			return &in, decode(&in)
		},
	}},
}

// The server echoes messages of 100 KB.
func serve(l net.Listener) error {
	s := grpc.NewServer(options...)
	s.RegisterService(&echo, nil)
	return s.Serve(l)
}

func connect(addr string) (request, error) {
	client, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	message := wrapperspb.Bytes(make([]byte, 100_000))
	return func(_ int, to io.Writer) error {
		var answer wrapperspb.BytesValue
		if err := client.Invoke(context.Background(), "/Echo/Echo", message, &answer); err != nil {
			return err
		}
		_, err := to.Write(answer.Value)
		return err
	}, nil
}
