// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithRelationships

/// The part of an account's posts that a mute can be limited to.
enum MuteScopeOption: String, ExpressibleByArgument, CaseIterable {
  case reposts
  case quotes

  var scope: MuteScope {
    switch self {
    case .reposts: .reposts
    case .quotes: .quotes
    }
  }
}
