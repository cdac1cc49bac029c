module github.com/basin-go/basin/adapters/basinwebsocket

go 1.25.0

require (
	github.com/basin-go/basin v0.1.0
	github.com/gorilla/websocket v1.5.3
)
