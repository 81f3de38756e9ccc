// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithWriting

/// How a change that made no job is taken back. The journal keeps it as JSON.
enum ChangeReversal: Sendable, Hashable, Codable {
  /// Suggests accounts to an account again, or no longer.
  case dismiss([DID], takesBack: Bool)
  /// Gives segments their former predicates; those without one are removed.
  case segments([String: String?])
  /// Gives an account its former goal; nil for none.
  case goal(DID, Goal?)
  /// Watches accounts again, or no longer.
  case watch([DID], isWatched: Bool)

  /// A goal as it was set.
  struct Goal: Sendable, Hashable, Codable {
    let followers, start: Int
    /// In microseconds since 1970.
    let since: Int64

    init(_ goal: FollowerGoal) {
      (followers, start, since) = (goal.followers, goal.start, goal.since.microsecondsSinceEpoch)
    }
  }

  private var text: String? {
    (try? JSONCoding.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads what the journal keeps; nil for what another version has written.
  init?(_ text: String) {
    guard let value = try? JSONCoding.decode(Self.self, from: Array(text.utf8)) else { return nil }
    self = value
  }

  /// Takes the change back.
  ///
  /// - Throws: ``OperationError``, such as `segmentInUse`; errors of the history.
  func carryOut(in workspace: Workspace) async throws {
    switch self {
    case .dismiss(let accounts, let takesBack):
      _ = try await DismissPeople(accounts, takingBack: takesBack).run(in: workspace)
    case .segments(let formers):
      for (name, former) in Self.inOrder(formers, at: workspace.time.instant) {
        _ = try await AddSegment(name, former).run(in: workspace)
      }
      let new = formers.filter { $0.value == nil }.keys.sorted()
      if !new.isEmpty { _ = try await RemoveSegments(new).run(in: workspace) }
    case .goal(let actor, let former):
      let goal = former.map {
        FollowerGoal($0.followers, from: $0.start, since: Instant(microsecondsSinceEpoch: $0.since))
      }
      try await workspace.history().set(goal, of: actor)
    case .watch(let accounts, let isWatched):
      if isWatched {
        _ = try await WatchAccounts(accounts).run(in: workspace)
      } else {
        _ = try await UnwatchAccounts(accounts).run(in: workspace)
      }
    }
  }

  /// The segments to add again, each after those that it refers to.
  private static func inOrder(_ formers: [String: String?], at now: Instant) -> [(String, String)] {
    var left = formers.compactMap { name, former in former.map { (name, $0) } }.sorted { $0.0 < $1.0 }
    var ordered: [(String, String)] = []
    while !left.isEmpty {
      let next = left.firstIndex { name, former in
        let segment = Segment(name, former, since: now)
        return !left.contains { $0.0 != name && segment?.refers(to: $0.0) == true }
      }
      ordered.append(left.remove(at: next ?? 0))
    }
    return ordered
  }

  /// The change as the journal remembers it.
  static func remembered(_ title: String, changed: Bool, _ reversal: ChangeReversal?) -> LastChange {
    LastChange(title, changed ? .done : .nothing, reversal: changed ? reversal?.text : nil)
  }
}

extension Workspace {
  /// Remembers a change that made no job: an undo means the last change of all. What was changed is not undone, nor hidden,
  /// by a journal that cannot be written.
  ///
  /// - Parameters:
  ///   - account: nil for what concerns all accounts.
  ///   - changed: whether anything was changed.
  ///   - reversal: how it is taken back; nil if it cannot be.
  func remember(
    _ title: String, by account: DID?, changed: Bool, reversal: ChangeReversal? = nil
  ) async {
    let change = ChangeReversal.remembered(title, changed: changed, reversal)
    try? await jobStore().remember(change, by: account, at: time.instant)
  }

  /// Remembers that a job was continued, paused or cancelled.
  func remember(_ job: Job) async {
    try? await jobStore().remember(
      LastChange(job.title, .done, job: job.id), by: job.account, at: time.instant)
  }
}
