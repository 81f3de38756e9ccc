// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithLexicons

/// A list, starter pack or post as people name it: by AT-URI or by the URL of its page.
package struct RecordInput: Sendable, Hashable {
  /// The kind of record.
  package enum Kind: Sendable, Hashable {
    case list
    case starterPack
    case post

    /// The collection of its records.
    package var collection: NSID {
      switch self {
      case .list: .list
      case .starterPack: .starterpack
      case .post: App.Bsky.Feed.Post.nsid
      }
    }
  }

  /// The kind of record.
  package let kind: Kind
  /// The owner.
  package let owner: ATIdentifier
  /// The record key.
  package let rkey: RecordKey

  /// Parses what a person typed or pasted: `at://WHO/app.bsky.graph.list/KEY`, `…/profile/WHO/lists/KEY`,
  /// `…/starter-pack/WHO/KEY`, `…/start/WHO/KEY`.
  ///
  /// - Returns: nil for a text that is neither an AT-URI nor a URL.
  /// - Throws: ``InputError`` for an AT-URI or URL of something else.
  package init?(parsing text: some StringProtocol) throws(InputError) {
    try self.init(
      parsing: text, as: [.list, .starterPack], noun: "list or starter pack",
      reason: "use at://DID/app.bsky.graph.list/KEY or the URL of its page (…/profile/WHO/lists/KEY, "
        + "…/starter-pack/WHO/KEY)")
  }

  /// Parses a post: `at://WHO/app.bsky.feed.post/KEY` or `…/profile/WHO/post/KEY`.
  ///
  /// - Throws: ``InputError`` for anything else.
  package init(post text: some StringProtocol) throws(InputError) {
    let reason = "use at://DID/app.bsky.feed.post/KEY or the URL of its page (…/profile/WHO/post/KEY)"
    guard let post = try RecordInput(parsing: text, as: [.post], noun: "post", reason: reason) else {
      throw InputError(text: String(text), naming: "post", reason: reason)
    }
    self = post
  }

  private init?(
    parsing text: some StringProtocol, as kinds: Set<Kind>, noun: String, reason: String
  ) throws(InputError) {
    let text = ActorInput.pasted(text)
    let parts: (kind: Kind, owner: Substring, rkey: Substring)?
    if text.hasPrefix("at://") {
      parts = Self.parts(ofURI: text)
    } else if let url = ActorInput.url(text) {
      parts = Self.parts(ofURL: url)
      // A URL may lack its scheme, as browsers show it; but a name of a list may have slashes as well.
      if parts == nil, url != text { return nil }
    } else {
      return nil
    }
    guard let parts, kinds.contains(parts.kind) else {
      throw InputError(text: String(text), naming: noun, reason: reason)
    }
    do throws(SyntaxError) {
      kind = parts.kind
      owner = try ATIdentifier(parsing: parts.owner)
      rkey = try RecordKey(parsing: parts.rkey)
    } catch {
      throw InputError(text: String(text), naming: noun, reason: error.reason)
    }
  }

  private static func parts(ofURI text: Substring) -> (Kind, Substring, Substring)? {
    let parts = text.dropFirst("at://".count).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    switch String(parts[1]) {
    case NSID.list.description: return (.list, parts[0], parts[2])
    case NSID.starterpack.description: return (.starterPack, parts[0], parts[2])
    case App.Bsky.Feed.Post.nsid.description: return (.post, parts[0], parts[2])
    default: return nil
    }
  }

  /// Of a URL its beginning counts: pages below it (`…/post/KEY/liked-by`) are about the same record.
  private static func parts(ofURL text: Substring) -> (Kind, Substring, Substring)? {
    let parts = ActorInput.path(ofURL: text)
    switch parts.count {
    case 4... where parts[0] == "profile" && parts[2] == "lists":
      return (.list, ActorInput.name(inSegment: parts[1]), parts[3])
    case 4... where parts[0] == "profile" && parts[2] == "post":
      return (.post, ActorInput.name(inSegment: parts[1]), parts[3])
    case 3... where parts[0] == "starter-pack" || parts[0] == "start":
      return (.starterPack, ActorInput.name(inSegment: parts[1]), parts[2])
    default: return nil
    }
  }

  /// The record's URI, once the owner's DID is known.
  package func uri(ownedBy owner: DID) -> ATURI {
    ATURI(authority: .did(owner), collection: kind.collection, recordKey: rkey)
  }
}
