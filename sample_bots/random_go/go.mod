// For editors: `make` builds with Debian's libraries and does not read it. `go mod tidy` fetches these, with network.
module bot

go 1.16

require (
	arena v0.0.0
	google.golang.org/grpc v1.38.0
	google.golang.org/protobuf v1.28.1
)

replace arena => ./build/src/arena // the messages; `make` generates them
