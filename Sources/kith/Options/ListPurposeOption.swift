// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithRelationships

/// The purpose of a list, as options and rows name it.
enum ListPurposeOption: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// A user list, for feeds.
  case curate
  /// A moderation list, for mutes and blocks.
  case mod

  var purpose: ListPurpose {
    switch self {
    case .curate: .curate
    case .mod: .moderate
    }
  }
}
