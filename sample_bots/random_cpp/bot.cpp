// Plays any legal move, in every game. Copy this folder with `arena bot new --lang cpp`, and make `choose` better.
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include <grpcpp/grpcpp.h>

#include "games.h"  // the messages of the games in proto/, and FOR_EVERY_GAME; `make` writes it

using namespace arena::wire::v1;

/// Decide on one move: turn.observation() is all you may know, turn.clock().available_us() the microseconds you have.
/// The same for every game; a function `ClaimMove choose(const ClaimTurn& turn)` beside it goes first in that game.
template <class Turn>
auto choose(const Turn& turn) {
  thread_local std::mt19937 random{std::random_device{}()};
  return turn.legal(std::uniform_int_distribution<int>{0, turn.legal_size() - 1}(random));
}

/// The service of one game. All games have the same one, with messages of their own.
template <class Service, class Request, class Reply>
class Game final : public Service::Service {
 public:
  /// Answers the requests of one match; every match has a stream, and so a call of this function, of its own.
  grpc::Status Play(grpc::ServerContext*, grpc::ServerReaderWriter<Reply, Request>* stream) override {
    unsigned seat = 0;
    for (Request request; stream->Read(&request);) {
      Reply reply;
      if (request.has_start()) {  // Get ready; the clock does not run yet.
        seat = request.start().match().seat();
        reply.mutable_ready()->set_wants_legal_moves(true);
      } else if (request.has_turn()) {
        reply.mutable_moves()->set_turn(request.turn().number());
        *reply.mutable_moves()->add_moves() = choose(request.turn());
      } else {  // What a bot prints is shown when something went wrong.
        const MatchEnd& end = request.end();
        std::cout << "seat " << seat << ": " << end.outcome().reason() << "; " << end.verdict().sentence() << std::endl;
        continue;
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
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(argc, argv), grpc::InsecureServerCredentials());
#define OFFER(Name)                                             \
  Game<Name##BotService, Name##Request, Name##Reply> offered##Name; \
  builder.RegisterService(&offered##Name);
  FOR_EVERY_GAME(OFFER)
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return 1;  // gRPC has said why
  server->Wait();
}
