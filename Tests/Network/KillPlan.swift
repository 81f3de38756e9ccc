// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// How many accounts are followed, and when the processes that do it are killed.
struct KillPlan {
  /// Who is followed.
  let subjects: [String]
  /// Each process is killed after so many commits, counted over all of them, and so many milliseconds more.
  let moments: [(commits: Int, milliseconds: Int)]
  /// Small, so that there are many moments to be killed at.
  static let writesPerCommit = 5

  /// The form for every day; `KITH_SOAK=2000/25` makes a longer one, and `KITH_SEED` another.
  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    let sizes = environment["KITH_SOAK"]?.split(separator: "/").compactMap { Int($0) } ?? []
    let (follows, kills) = sizes.count == 2 ? (sizes[0], sizes[1]) : (300, 6)
    let seed = environment["KITH_SEED"].flatMap(UInt64.init) ?? 1
    var generator = SeededGenerator(seed: seed)
    let commits = follows / Self.writesPerCommit
    subjects = MadeUpAccounts.dids(follows, seed: seed)
    // One while it starts and writes the job down; none so late that the process may be done before it is killed.
    let early = (commits: 0, milliseconds: Int.random(in: 0..<600, using: &generator))
    let later = (1..<kills).map { _ in Int.random(in: 0..<commits * 3 / 4, using: &generator) }.sorted()
      .map { (commits: $0, milliseconds: Int.random(in: 0..<30, using: &generator)) }
    moments = [early] + later
  }

  /// Whether somebody has an evening for it.
  static let isLong = ProcessInfo.processInfo.environment["KITH_SOAK"] != nil
}
