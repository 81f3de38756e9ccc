// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithPosts
import KithRelationships

/// Reads a post with those above and below it, in reading order.
public struct ReadThread: KithOperation {
  public static let name = "readThread"

  /// The post.
  public var post: ATURI
  /// How many levels of answers, up to 30.
  public var depth: Int
  /// How many posts above it, up to 80.
  public var height: Int

  /// Creates the operation.
  public init(_ post: ATURI, depth: Int = 6, height: Int = 80) {
    (self.post, self.depth, self.height) = (post, depth, height)
  }

  /// What was read, and what was left out.
  public struct Outcome: OutcomeOfRows {
    /// How many answers are left out because of their authors.
    public let leftOut: LeftOutCounts
    /// How the rows were delivered.
    public let rows: RowsOutcome

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "leftOutBlocked": .integer(leftOut.blocked),
        "leftOutMuted": .integer(leftOut.muted),
        "leftOutUnknown": .integer(leftOut.unknown),
      ])
    }
  }

  /// - Throws: `RelationshipError` `postNotFound`, `hiddenByBlock`; others, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<PostRow>) async throws -> Outcome {
    let viewer = try await workspace.accountIfAny()
    let feeds = Feeds(
      workspace.listings(by: viewer?.appview ?? workspace.appview, as: viewer?.did, usingCache: true),
      concurrency: workspace.concurrency)
    let thread = try await feeds.thread(of: post, depth: depth, height: height)
    let rows = await report.deliver(
      thread.entries.map { PostRow($0, relationship: $0.author.flatMap(thread.relationships.relationship)) })
    return Outcome(leftOut: thread.leftOut, rows: rows.marked(interruptedBy: thread.fault))
  }
}
