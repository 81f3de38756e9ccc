// SPDX-License-Identifier: Apache-2.0

/// What is sent at once: the writes of some items in one commit, or one call.
public struct JobCommit: Sendable, Hashable {
  /// Its number within the job; kept until its outcome is certain, however often it is sent.
  public let number: Int
  /// The items that it consists of; never empty, and where one is a call the only one.
  public let items: [JobItem]

  /// Puts a commit together.
  public init(number: Int, items: [JobItem]) {
    self.number = number
    self.items = items
  }

  /// All writes, in order; none where it is a call.
  public var writes: [RecordWrite] { items.flatMap(\.step.writes) }

  /// The call, where it is one.
  public var call: ViewerCall? {
    if case .call(let call, _) = items.first?.step.action { call } else { nil }
  }

  /// Points of the write budget that it costs.
  public var points: Int { items.reduce(0) { $0 + $1.step.points } }
}
