// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Changes of lists whose outcome is in doubt, with the records that they were to make: who wishes the same again
/// repeats it under the same keys, so that nothing is made twice.
struct ListDoubts: Sendable {
  private var entries: [(change: ChangeIntent, made: [RecordWrite])] = []

  /// With more, those in doubt for longest are forgotten.
  private static let most = 100

  /// The steps of a change, with the keys that were chosen when it was tried before.
  func keepingKeys(of change: ChangeIntent, in steps: [ChangeStep]) -> [ChangeStep] {
    guard var made = entries.last(where: { $0.change == change })?.made else { return steps }
    return steps.map { step in
      guard case .write(var writes) = step.action else { return step }
      for index in writes.indices where writes[index].makesRecord {
        guard let earlier = made.firstIndex(where: { $0.collection == writes[index].collection }) else {
          continue
        }
        writes[index] = made.remove(at: earlier)
      }
      var step = step
      step.action = .write(writes)
      return step
    }
  }

  /// A change may have happened, or may still.
  mutating func add(_ change: ChangeIntent, _ steps: [ChangeStep]) {
    end(change)
    if entries.count == Self.most { entries.removeFirst() }
    entries.append((change, steps.flatMap(\.writes).filter(\.makesRecord)))
  }

  /// It is certain what became of a change.
  mutating func end(_ change: ChangeIntent) { entries.removeAll { $0.change == change } }
}
