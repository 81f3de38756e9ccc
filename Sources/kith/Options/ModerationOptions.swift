// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options of what puts accounts on a list.
struct ModerationOptions: ParsableArguments {
  @Flag(help: "Put accounts on a moderation list, too, that you follow or that are mutuals.")
  var allowMutuals = false
}
