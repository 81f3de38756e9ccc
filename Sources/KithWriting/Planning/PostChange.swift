// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// Deletes one's own posts, or adds and removes likes and reposts. New posts are made with ``RecordChange/make(_:)``.
public enum PostChange: Sendable, Hashable {
  /// Delete the post, and with it what says who may answer and quote it.
  case delete(ATURI)
  /// Like or repost this version of a post.
  case react(Reaction, to: RecordVersion, former: ReactionRecord)
  /// Take back a like or a repost of the post.
  case takeBack(Reaction, from: ATURI, former: ReactionRecord)

  var title: String {
    switch self {
    case .delete: "delete post"
    case .react(let reaction, _, _): reaction.rawValue
    case .takeBack(let reaction, _, _): "un\(reaction.rawValue)"
    }
  }

  var subject: ChangeStep.Subject {
    switch self {
    case .delete(let post), .takeBack(_, let post, _): .post(post)
    case .react(_, let post, _): .post(post.uri)
    }
  }

  var needs: Set<SubjectFacts.Part> { records.isEmpty && reaction == nil ? [] : [.named] }

  /// The reaction that it makes or takes back; nil for a change of one's own posts.
  var reaction: Reaction? {
    switch self {
    case .delete: nil
    case .react(let reaction, _, _), .takeBack(let reaction, _, _): reaction
    }
  }

  /// The edge that a record of the reaction expresses; nil for a change of one's own posts.
  var edge: RecordEdge? {
    switch self {
    case .delete: nil
    case .react(let reaction, let post, _): RecordEdge(reaction.kind, toPost: post.uri)
    case .takeBack(let reaction, let post, _): RecordEdge(reaction.kind, toPost: post)
    }
  }

  /// The own records that it is about, besides those that it creates: of a reaction, the one that the AppView names.
  var records: Set<RecordName> {
    switch self {
    case .delete(let post):
      Set(
        [.post, .threadgate, .postgate].compactMap { collection in
          post.recordKey.map { RecordName($0, in: collection) }
        })
    case .react(let reaction, _, .record(let record)), .takeBack(let reaction, _, .record(let record)):
      Set(record.recordKey.map { [RecordName($0, in: reaction.collection)] } ?? [])
    case .react, .takeBack: []
    }
  }
}

/// What one can do with a post besides answering and quoting it.
public enum Reaction: String, Sendable, Hashable, CaseIterable {
  case like, repost

  /// The kind of its records.
  public var kind: EdgeKind {
    switch self {
    case .like: .like
    case .repost: .repost
    }
  }

  var collection: NSID { kind.collection }
}

/// One's own record of a reaction to a post, as an AppView shows it. It may be gone, or be about another post: only the
/// repository knows.
public enum ReactionRecord: Sendable, Hashable {
  /// There is this record.
  case record(ATURI)
  /// There is none.
  case none
  /// The AppView did not say.
  case unknown
}
