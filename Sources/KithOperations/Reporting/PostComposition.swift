// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithPosts

/// What would be published.
public struct PostComposition: Sendable {
  /// The posts, each an answer to the one before.
  public var drafts: [PostDraft] = []
  /// Handles in the text that do not belong to an account, and stay plain text.
  public var unknownHandles: [Handle] = []
  /// Handles in the text that could not be looked up, and stay plain text.
  public var unresolvedHandles: [Handle] = []
  /// The post that is answered.
  public var answered: Post?
  /// The post that is quoted.
  public var quoted: Post?
  /// The picture for the card of the first link, if its page has one that a card can have.
  public var cardPicture: Picture?
  /// The error that kept the first link from getting a card, if any.
  public var cardFault: (any Error)?
  /// Why it is unknown whether the account lets others quote its posts; nil if it is known.
  public var audienceFault: (any Error)?

  public init() {}
}
