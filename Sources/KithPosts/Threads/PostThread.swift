// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
internal import KithLexicons
public import KithRelationships

/// A post with those above and below it, in reading order.
public struct PostThread: Sendable {
  /// A post of a thread.
  public struct Entry: Sendable, Hashable {
    /// What is shown in its place.
    public enum Content: Sendable, Hashable {
      case post(Post)
      /// Nothing: a block in either direction.
      case blocked
      /// Nothing: the viewer mutes its author, or their relationship is unknown.
      case muted
      /// Nothing: it is deleted, or not shown to anyone.
      case gone
    }

    /// The AT-URI of the post.
    public let uri: ATURI
    /// What is shown.
    public let content: Content
    /// How far it is below the post of the thread; negative above it.
    public let depth: Int
    /// How many answers to it exist that the thread does not contain.
    public let repliesLeft: Int

    /// The author of a post that is shown.
    public var author: AccountView? { if case .post(let post) = content { post.author } else { nil } }
  }

  /// The posts above, the post, and the answers below it, each answer after what it answers, the oldest first.
  public internal(set) var entries: [Entry] = []
  /// How many answers are left out because of their authors, not counting what is below those.
  public internal(set) var leftOut = LeftOutCounts()
  /// Why posts may be missing; nil if nothing has failed.
  public internal(set) var fault: (any Error)?
  /// How the viewer and the authors are related.
  package let relationships: ViewerRelationships
}

extension Feeds {
  /// Reads a thread.
  ///
  /// - Parameters:
  ///   - depth: how many levels of answers, up to 30.
  ///   - height: how many posts above it, up to 80.
  /// - Throws: `RelationshipError` `postNotFound`, `hiddenByBlock`; others, `CancellationError`.
  public func thread(of post: ATURI, depth: Int = 6, height: Int = 80) async throws -> PostThread {
    typealias Method = App.Bsky.Feed.GetPostThread
    let answer: ThreadAnswer
    do {
      // An answer may be nested 128 deep, and a level of answers takes two of them.
      answer = try await listings.client.query(
        Method.self,
        Method.Parameters(uri: post, depth: min(max(0, depth), 30), parentHeight: min(max(0, height), 80)),
        reading: ThreadAnswer.self)
    } catch let error as XRPCError where error.saysNotFound {
      throw RelationshipError.postNotFound(post)
    } catch {
      throw RelationshipError.wrapping(error) ?? error
    }
    switch answer.thread {
    case .gone: throw RelationshipError.postNotFound(post)
    case .blocked: throw RelationshipError.postHiddenByBlock(post)
    case .post(let node):
      var relationships = relationships
      try await relationships.learn(about: node.authors)
      var thread = PostThread(relationships: relationships)
      thread.fault =
        relationships.fault
        ?? node.fault.map { RelationshipError.unreadableElements(Method.nsid, 1, first: $0) }
      thread.add(ancestorsOf: node)
      thread.add(node, depth: 0)
      return thread
    }
  }
}

extension PostThread {
  fileprivate mutating func add(ancestorsOf node: ThreadNode) {
    var above: [Entry] = []
    var next = node.parent
    while let parent = next {
      next = nil
      let content: Entry.Content
      switch parent {
      case .blocked: content = .blocked
      case .gone: content = .gone
      case .post(let node):
        next = node.parent
        switch relationships.reason(against: node.post.author) {
        case nil: content = .post(node.post)
        case .blocked: content = .blocked
        case .muted, .unknown: content = .muted
        }
      }
      above.append(Entry(uri: parent.uri, content: content, depth: -above.count - 1, repliesLeft: 0))
    }
    entries += above.reversed()
  }

  fileprivate mutating func add(_ node: ThreadNode, depth: Int) {
    let left = max(0, (node.post.summary.counts.replies ?? 0) - node.replies.count)
    entries.append(Entry(uri: node.post.uri, content: .post(node.post), depth: depth, repliesLeft: left))
    for reply in node.sortedReplies {
      switch reply {
      case .gone: continue
      case .blocked: leftOut.add(.blocked)
      case .post(let node):
        if let reason = relationships.reason(against: node.post.author) {
          leftOut.add(reason)
        } else {
          add(node, depth: depth + 1)
        }
      }
    }
  }
}

/// The answer of `getPostThread`.
private struct ThreadAnswer: Decodable, Sendable { let thread: ThreadPlace }

/// A post of a thread, or what is shown instead.
private enum ThreadPlace: Decodable, Sendable {
  case post(ThreadNode)
  case blocked(ATURI)
  case gone(ATURI)

  private enum CodingKeys: CodingKey { case post, uri, blocked }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.post) {
      self = .post(try ThreadNode(from: decoder))
      return
    }
    let uri = try container.decode(ATURI.self, forKey: .uri)
    self = container.contains(.blocked) ? .blocked(uri) : .gone(uri)
  }

  var uri: ATURI {
    switch self {
    case .post(let node): node.post.uri
    case .blocked(let uri), .gone(let uri): uri
    }
  }
}

/// `app.bsky.feed.defs#threadViewPost`.
private final class ThreadNode: Decodable, Sendable {
  let post: Post
  let parent: ThreadPlace?
  let replies: [ThreadPlace]
  /// What is wrong with an answer that cannot be read, here or below.
  let fault: DecodingError?

  private enum CodingKeys: CodingKey { case post, parent, replies }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    post = try container.decode(Post.self, forKey: .post)
    parent = try? container.decodeIfPresent(ThreadPlace.self, forKey: .parent)
    var replies: ReadableElements<ThreadPlace>?
    var unreadable: DecodingError?
    do {
      replies = try container.decodeIfPresent(ReadableElements<ThreadPlace>.self, forKey: .replies)
    } catch let error as DecodingError { unreadable = error }
    self.replies = replies?.elements ?? []
    fault =
      unreadable ?? replies?.faults.first
      ?? self.replies.lazy.compactMap { if case .post(let node) = $0 { node.fault } else { nil } }.first
  }

  /// The authors of all posts.
  var authors: [AccountView] {
    var authors = [post.author]
    for place in replies + [parent].compactMap(\.self) {
      if case .post(let node) = place { authors += node.authors }
    }
    return authors
  }

  /// The answers, the oldest first.
  var sortedReplies: [ThreadPlace] {
    replies.enumerated().sorted { one, other in
      let (left, right) = (Self.moment(of: one.element), Self.moment(of: other.element))
      return left == right ? one.offset < other.offset : left < right
    }.map(\.element)
  }

  private static func moment(of place: ThreadPlace) -> Instant {
    if case .post(let node) = place { node.post.summary.writtenAt.instant } else { .epoch }
  }
}
