// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options of commands that add accounts to a list.
struct ModerationOptions: ParsableArguments {
  @Flag(help: "Also add accounts that you follow or that are mutuals to a moderation list.")
  var allowMutuals = false
}
