// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// What an AppView shows of another post, or of something else with a record, beside a post that answers or quotes it.
public struct PostReference: Sendable, Hashable {
  /// What is shown of it.
  public enum Content: Sendable, Hashable {
    /// A post. The text is untrusted.
    case post(author: AccountView, text: String)
    /// Nothing, because of a block between its author and the viewer or the author of the other post.
    case blocked
    /// Nothing: it is deleted, or not shown to anyone.
    case gone
    /// Nothing: its author has detached it from the post that quotes it.
    case detached
    /// A list, a feed, a starter pack or something else, with its name. Untrusted text.
    case other(name: String?)
  }

  /// The AT-URI of the record.
  public let uri: ATURI
  /// What is shown of it.
  public let content: Content

  /// Its author, if it is a post that is shown.
  public var author: AccountView? {
    if case .post(let author, _) = content { author } else { nil }
  }
}

extension PostReference: Decodable {
  private enum CodingKeys: CodingKey {
    case uri, author, record, value, blocked, notFound, detached, name, displayName
  }

  private struct Words: Decodable {
    let text: String?
  }

  /// Decodes `postView`, `blockedPost` and `notFoundPost` of `app.bsky.feed.defs`, and what `app.bsky.embed.record#view` shows.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    uri = try container.decode(ATURI.self, forKey: .uri)
    if container.contains(.blocked) {
      content = .blocked
    } else if container.contains(.notFound) {
      content = .gone
    } else if container.contains(.detached) {
      content = .detached
    } else if container.contains(.author), container.contains(.record) || container.contains(.value) {
      let words = try? container.decode(Words.self, forKey: container.contains(.record) ? .record : .value)
      content = .post(
        author: try container.decode(ProfileWords.self, forKey: .author).view(), text: words?.text ?? "")
    } else {
      content = .other(
        name: (try? container.decodeIfPresent(String.self, forKey: .displayName))
          ?? (try? container.decodeIfPresent(String.self, forKey: .name)))
    }
  }
}
