// Claim by a rule of thumb: fight for tricks that are worth winning, with the cheapest card that does it.
//
// Every card is judged by one sum: how likely it wins the trick, times what the trick is worth, minus what the card
// would still be good for. Nothing is looked ahead, and nothing is remembered but what lies on the table.
#include "claim.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using namespace arena::wire::v1;

namespace {

enum Faction { goblins, dwarves, undead, doppelgangers, knights };

constexpr std::array<int, 5> sizes{14, 10, 10, 10, 8};  // the fewer cards a faction has, the more each counts
constexpr double unseen_follower = 4.5;                 // what the loser of a trick draws is worth on average
constexpr double vote = 30;                             // what all cards of a faction are worth in a score pile
constexpr double thrift = 0.1;                          // how much of its strength a card loses by being played

Faction faction(int card) { return static_cast<Faction>(card / 10); }

/// What a card is good for in tricks: its number, and a little more if it also wins in other factions.
double strength(int card) { return card % 10 + (faction(card) >= doppelgangers ? 1.5 : 0); }

bool beats(int follow, int lead) {
  if (faction(lead) == goblins && faction(follow) == knights) return true;
  return (faction(follow) == faction(lead) || faction(follow) == doppelgangers) && follow % 10 > lead % 10;
}

/// How many of each card this seat has not located yet.
std::array<int, 50> unseen(const ClaimObservation& seen) {
  std::array<int, 50> count;
  count.fill(1);
  count[0] = 5;              // the Goblin 0 exists five times,
  count[40] = count[41] = 0;  // and the Knights begin at 2
  for (const auto* cards : {&seen.hand(), &seen.prizes(), &seen.draws(), &seen.opponent_prizes(), &seen.score(),
                            &seen.opponent_score(), &seen.discard()}) {
    for (int card : *cards) --count[card];
  }
  if (seen.has_lead()) --count[seen.lead()];
  if (seen.has_prize()) --count[seen.prize()];
  return count;
}

/// Certain for the second card of a trick; the first one wins unless the opponent holds a better one.
double chance_to_win(const ClaimObservation& seen, int card) {
  if (seen.has_lead()) return beats(card, seen.lead());
  const auto others = unseen(seen);
  int better = 0;
  for (int other = 0; other < 50; ++other) better += beats(other, card) ? others[other] : 0;
  return std::pow(1 - better / std::max(1.0, std::accumulate(others.begin(), others.end(), 0.0)), 3);
}

/// What one played card is worth to the winner of its trick, as a vote of its faction.
double spoils(const ClaimObservation& seen, int card) {
  const double share = vote / sizes[faction(card)];
  if (seen.phase() == 1) return faction(card) == undead ? share : 0;
  return faction(card) == dwarves ? -share : share;
}

/// What it is worth to win the trick with this card instead of losing it.
double stake(const ClaimObservation& seen, int card) {
  double worth = spoils(seen, card) + (seen.has_lead() ? spoils(seen, seen.lead()) : 0);
  return seen.has_prize() ? worth + strength(seen.prize()) - unseen_follower : worth;
}

double value(const ClaimObservation& seen, int card) {
  return chance_to_win(seen, card) * stake(seen, card) - thrift * strength(card);
}

}  // namespace

ClaimMove choose(const ClaimTurn& turn) {
  const ClaimObservation& seen = turn.observation();
  return *std::max_element(turn.legal().begin(), turn.legal().end(), [&seen](const ClaimMove& a, const ClaimMove& b) {
    return value(seen, a.play()) < value(seen, b.play());
  });
}
