//go:build go1.25

package main

import (
	"bytes"
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

// The server echoes messages of 2 KB to 200 KB.
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
	var messages []*wrapperspb.BytesValue
	for _, size := range []int{2000, 20_000, 200_000} {
		messages = append(messages, wrapperspb.Bytes(bytes.Repeat([]byte{byte(size)}, size)))
	}
	return func(number int, w io.Writer) error {
		var answer wrapperspb.BytesValue
		if err := client.Invoke(context.Background(), "/Echo/Echo", messages[number%len(messages)], &answer); err != nil {
			return err
		}
		_, err := w.Write(answer.Value)
		return err
	}, nil
}
