// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// How many accounts are followed, and when the processes that change that are killed.
struct KillPlan {
  /// Who is followed.
  let subjects: [String]
  /// How often a job's processes are killed.
  let kills: Int
  private var generator: SeededGenerator

  /// A process is killed after so many commits, counted over all of its job, and so many milliseconds more.
  struct Moment {
    let commits: Int
    let milliseconds: Int
  }

  /// Small, so that there are many moments to be killed at.
  static let writesPerCommit = 4

  /// Whether somebody asked for the long form.
  static let isLong = ProcessInfo.processInfo.environment["KITH_SOAK"] != nil

  /// The form for every day; `KITH_SOAK=2000/25` makes a longer one, and `KITH_SEED` another.
  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    let sizes = environment["KITH_SOAK"]?.split(separator: "/").compactMap { Int($0) } ?? []
    let seed = environment["KITH_SEED"].flatMap(UInt64.init) ?? 1
    kills = sizes.count == 2 ? sizes[1] : 6
    subjects = MadeUpAccounts.dids(sizes.count == 2 ? sizes[0] : 300, seed: seed)
    generator = SeededGenerator(seed: seed)
  }

  /// When the processes of a job are killed that makes so many writes: one while it starts and writes the job
  /// down, and none so late that it may be done before.
  mutating func moments(writes: Int) -> [Moment] {
    let commits = writes / Self.writesPerCommit
    let early = Moment(commits: 0, milliseconds: Int.random(in: 0..<600, using: &generator))
    let later = (1..<kills).map { _ in Int.random(in: 0..<commits * 3 / 4, using: &generator) }.sorted()
    return [early]
      + later.map { Moment(commits: $0, milliseconds: Int.random(in: 0..<30, using: &generator)) }
  }
}
