// Plays Claim: this file speaks with the referee, claim.cpp decides.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>

#include "arena/wire/v1/claim.grpc.pb.h"
#include "claim.h"

using namespace arena::wire::v1;

class Claim final : public ClaimBotService::Service {
  /// Answers the requests of one match; every match has a stream, and so a call of this function, of its own.
  grpc::Status Play(grpc::ServerContext*, grpc::ServerReaderWriter<ClaimReply, ClaimRequest>* stream) override {
    for (ClaimRequest request; stream->Read(&request) && !request.has_end();) {
      ClaimReply reply;
      if (request.has_start()) {
        reply.mutable_ready()->set_wants_legal_moves(true);
      } else {
        reply.mutable_moves()->set_turn(request.turn().number());
        *reply.mutable_moves()->add_moves() = choose(request.turn());
      }
      stream->Write(reply);
    }
    return grpc::Status::OK;
  }
};

/// Where to listen: the referee sets ARENA_SOCKET; for a debugger give --port 5000.
std::string address(int argc, char** argv) {
  if (const char* socket = std::getenv("ARENA_SOCKET")) return std::string("unix:") + socket;
  if (argc == 3 && std::string(argv[1]) == "--port") return std::string("127.0.0.1:") + argv[2];
  std::cerr << "where shall the bot listen? Give --port 5000, or set ARENA_SOCKET as the referee does" << std::endl;
  std::exit(2);
}

int main(int argc, char** argv) {
  Claim claim;
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(argc, argv), grpc::InsecureServerCredentials());
  builder.RegisterService(&claim);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return 1;  // gRPC has said why
  server->Wait();
}
