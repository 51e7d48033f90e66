#pragma once

#include "arena/wire/v1/claim.pb.h"

/// The move that looks best now.
arena::wire::v1::ClaimMove choose(const arena::wire::v1::ClaimTurn& turn);
