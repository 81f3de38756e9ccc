// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

/// What a new list is to say about itself.
public struct ListDraft: Sendable, Hashable {
  /// 1 to 64 bytes, by the lexicon.
  public var name: String
  /// What it is for: to read by, to moderate by, or to be referred to.
  public var purpose: ListPurpose
  /// At most 300 graphemes; nil for none.
  public var description: String?

  /// Puts a draft together; whether it fits the lexicon shows when it is planned.
  public init(name: String, purpose: ListPurpose, description: String? = nil) {
    self.name = name
    self.purpose = purpose
    self.description = description
  }

  /// Whether a list is what the draft wants; one that asks for no description is content with any.
  public func isMet(by list: OwnList) -> Bool {
    list.name == name && list.purpose == purpose
      && (description == nil || description == list.description ?? "")
  }

  /// The record that it becomes.
  func record(createdAt: Datetime) -> App.Bsky.Graph.List {
    App.Bsky.Graph.List(purpose: purpose.type, name: name, description: description, createdAt: createdAt)
  }
}
