// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithRelationships

extension ChangeNote {
  /// How long ago a post was published that may be the same one once more, by a command that was repeated.
  private static let repetitionSpan = Duration.seconds(300)

  /// Notes that jobs published the same posts a short time ago; nil if none did.
  ///
  /// - Parameters:
  ///   - history: what jobs have done about the same content.
  ///   - now: when it is to be published.
  package static func repetition(in history: [JobHistoryEntry], at now: Instant) -> ChangeNote? {
    let dates = history.filter { $0.state == .done }.flatMap(\.step.writes).compactMap(\.dateOfPost)
    // A date in the future comes from a clock that was set back: that may have been a moment ago.
    guard let last = dates.max(), now - last < repetitionSpan else { return nil }
    return .repeated(after: now - last)
  }

  static func repeated(after span: Duration) -> ChangeNote {
    let seconds = max(0, span.components.seconds)
    return ChangeNote(
      .repeated, "the same was published \(seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min") ago")
  }
}

extension PlannedChange {
  /// The note of a plan that publishes what jobs published a short time ago; nil for any other.
  func repetition(of history: [JobHistoryEntry]) -> ChangeNote? {
    guard case .records(.make) = change,
      let date = steps.flatMap(\.writes).compactMap(\.dateOfPost).min()
    else { return nil }
    return .repetition(in: history, at: date)
  }
}

extension RecordWrite {
  /// The date of a post that it creates; nil for any other write.
  fileprivate var dateOfPost: Instant? {
    guard collection == .post, case .create(let value) = action else { return nil }
    return value["createdAt"]?.string.flatMap { Datetime($0) }?.instant
  }
}

extension ChangeNote.Code {
  /// The same was published a short time ago.
  public static let repeated = Self(rawValue: "repeated")
}
