package basingrpc_test

import (
	"testing"

	"github.com/basin-go/basin/internal/pooltest"
)

// TestTheirs runs gRPC's own tests of package mem and of the transport with a BufferPool
// as the default pool. External test packages import the adapter, because gRPC imports those packages.
func TestTheirs(t *testing.T) {
	inject := func(name string) string {
		return `package ` + name + `

import (
	"google.golang.org/grpc/internal"
	"google.golang.org/grpc/mem"

	"github.com/basin-go/basin/adapters/basingrpc"
)

func init() { internal.SetDefaultBufferPool.(func(mem.BufferPool))(new(basingrpc.BufferPool)) }
`
	}
	pooltest.RunTheirs(t, "google.golang.org/grpc", map[string]string{
		"mem/basin_test.go":                inject("mem_test"),
		"internal/transport/basin_test.go": inject("transport_test"),
		"encoding/proto/basin_test.go":     inject("proto_test"),
	}, append([]string{"-short"}, pooltest.TheirPackages(t, []string{"./mem", "./encoding/proto"}, "./internal/transport")...)...)
}
