// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Relationships

/// A question with yes or no for an answer, asked by `--is`.
enum Predicate: String, ExpressibleByArgument, CaseIterable, Sendable {
  case following
  case followedBy = "followed-by"
  case mutual
  case blocking
  case blockedBy = "blocked-by"
  case none

  func holds(for info: RelationshipInfo) -> Bool {
    switch self {
    case .following: info.isFollowing
    case .followedBy: info.isFollowedBy
    case .mutual: info.mutual
    case .blocking: info.isBlocking
    case .blockedBy: info.isBlockedBy
    case .none: info.isEmpty
    }
  }
}
