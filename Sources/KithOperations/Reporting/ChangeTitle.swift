// SPDX-License-Identifier: Apache-2.0

/// What a change is called in jobs, rows and sentences.
public struct ChangeTitle: Sendable, Hashable {
  /// The verb of the job and of its rows, such as `mute-list`. Journals keep it.
  public var name: String
  /// The past participle, such as `muted`.
  public var participle: String
  /// The noun for one object of the change.
  public var noun: String
  /// How a question about the change begins, such as `Add`.
  public var imperative: String
  /// How such a question ends, such as ` to the list`; empty for nothing.
  public var place: String
  /// Whether each row names its own change instead.
  public var namesEachChange: Bool

  /// - Parameter imperative: nil for the name with a capital letter.
  public init(
    _ name: String, _ participle: String, noun: String = "account", imperative: String? = nil,
    place: String = "", namesEachChange: Bool = false
  ) {
    (self.name, self.participle, self.noun, self.place) = (name, participle, noun, place)
    self.imperative = imperative ?? name.prefix(1).uppercased() + name.dropFirst()
    self.namesEachChange = namesEachChange
  }

  /// The number with its noun, such as `312 accounts`.
  public func counted(_ number: Int) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension ChangeTitle {
  static let follow = ChangeTitle("follow", "followed")
  static let block = ChangeTitle("block", "blocked")
}
