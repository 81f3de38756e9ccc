// SPDX-License-Identifier: Apache-2.0

/// Changes on their way to one listener: bounded, in order, with a note where some were lost.
struct ChangeBuffer {
  /// Changes kept for a listener that is slow: enough for a page of an app's view many times over.
  static let capacity = 1_024

  /// Those that wait, from ``head`` on, behind some that were handed over.
  private(set) var changes: [RelationshipChange] = []
  private var head = 0
  private var missed = 0

  mutating func append(_ change: RelationshipChange) {
    // Once something was lost, more is lost until the listener has heard of it: the order stays true.
    if missed > 0 || changes.count - head >= Self.capacity {
      missed += 1
    } else {
      changes.append(change)
    }
  }

  mutating func popFirst() -> RelationshipChange? {
    guard head < changes.count else {
      defer { missed = 0 }
      return missed > 0 ? .missed(missed) : nil
    }
    let change = changes[head]
    head += 1
    // Also for a listener that never quite catches up, so that the array does not grow for ever.
    if head == changes.count || head == Self.capacity {
      changes.removeFirst(head)
      head = 0
    }
    return change
  }
}
