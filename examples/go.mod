// The programs that docs/recipes.md quotes. A module of its own because some of them
// need gRPC or a WebSocket.
module github.com/basin-go/basin/examples

go 1.25.0

require (
	github.com/basin-go/basin v0.1.0
	github.com/basin-go/basin/adapters/basingrpc v0.1.0
	github.com/basin-go/basin/adapters/basinwebsocket v0.1.0
	github.com/gorilla/websocket v1.5.3
	google.golang.org/grpc v1.81.1
	google.golang.org/protobuf v1.36.11
)

require (
	golang.org/x/net v0.51.0 // indirect
	golang.org/x/sys v0.42.0 // indirect
	golang.org/x/text v0.34.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260226221140-a57be14db171 // indirect
)
