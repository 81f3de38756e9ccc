// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// How many accounts are followed, and when the processes of the jobs are killed.
struct KillPlan {
  /// The accounts to follow.
  let subjects: [String]
  /// How often a job's processes are killed.
  let kills: Int
  private var generator: SeededGenerator

  /// Kills a process after this many commits, counted across its job, plus this many milliseconds.
  struct Moment {
    let commits: Int
    let milliseconds: Int
  }

  /// Small, so that there are many moments to be killed at.
  static let writesPerCommit = 4

  /// Whether the long form was asked for.
  static let isLong = ProcessInfo.processInfo.environment["KITH_SOAK"] != nil

  /// The short form by default; `KITH_SOAK=2000/25` makes a longer one, and `KITH_SEED` another one.
  init(
    on network: LiveNetwork, _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) async throws {
    let sizes = environment["KITH_SOAK"]?.split(separator: "/").compactMap { Int($0) } ?? []
    let seed = environment["KITH_SEED"].flatMap(UInt64.init) ?? 1
    kills = sizes.count == 2 ? sizes[1] : 6
    subjects = try await network.strangers(sizes.count == 2 ? sizes[0] : 300, seed: seed)
    generator = SeededGenerator(seed: seed)
  }

  /// When to kill the processes of a job with this many writes: one while it starts and adds the job, and
  /// none so late that the job may be done before.
  mutating func moments(writes: Int) -> [Moment] {
    let commits = writes / Self.writesPerCommit
    let early = Moment(commits: 0, milliseconds: Int.random(in: 0..<600, using: &generator))
    let later = (1..<kills).map { _ in Int.random(in: 0..<commits * 3 / 4, using: &generator) }.sorted()
    return [early]
      + later.map { Moment(commits: $0, milliseconds: Int.random(in: 0..<30, using: &generator)) }
  }
}
