// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What is known of how things stand with one account or list. Nil is what was not learned.
public struct GraphKnowledge: Sendable, Hashable {
  /// The own follow records that point to the account, from the repository itself.
  public var follows: [OwnRecord]?
  /// The own block records that point to the account, from the repository itself.
  public var blocks: [OwnRecord]?
  /// The own `listblock` records that point to the list, from the repository itself.
  public var listBlocks: [OwnRecord]?
  /// A list of the own repository, and who is on it.
  public var list: ListKnowledge?
  /// What an AppView says of the two accounts: it tells what is said, not what is done.
  public var relationship: RelationshipInfo?
  /// How the account is muted.
  public var mute: MuteState?
  /// Whether the list is muted.
  public var listIsMuted: Bool?

  /// Puts together what is known.
  public init(
    follows: [OwnRecord]? = nil, blocks: [OwnRecord]? = nil, listBlocks: [OwnRecord]? = nil,
    list: ListKnowledge? = nil, relationship: RelationshipInfo? = nil, mute: MuteState? = nil,
    listIsMuted: Bool? = nil
  ) {
    self.follows = follows
    self.blocks = blocks
    self.listBlocks = listBlocks
    self.list = list
    self.relationship = relationship
    self.mute = mute
    self.listIsMuted = listIsMuted
  }

  /// Kinds of knowledge.
  public struct Parts: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The own follow records.
    public static let follows = Parts(rawValue: 1)
    /// The own block records.
    public static let blocks = Parts(rawValue: 2)
    /// The own `listblock` records.
    public static let listBlocks = Parts(rawValue: 4)
    /// How accounts are muted.
    public static let mutes = Parts(rawValue: 8)
    /// Whether lists are muted.
    public static let listMutes = Parts(rawValue: 16)
    /// The own lists.
    public static let lists = Parts(rawValue: 32)
    /// The own records of who is on the own lists.
    public static let listItems = Parts(rawValue: 64)
  }
}
