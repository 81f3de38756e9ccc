// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import Observation

/// A feed of many authors, each with a follow button. 500 rows take at most 17 calls.
@Observable
public final class FeedModel {
  /// One row of the feed.
  @Observable
  public final class Row: Identifiable {
    public let id: DID
    public fileprivate(set) var button = FollowButton()

    fileprivate init(_ author: DID) { id = author }
  }

  /// The rows. A row is an object of its own, so that a change draws one row and not the feed.
  public private(set) var rows: [Row] = []
  private let me: DID
  private let service: FollowRelationshipService

  public init(as me: DID, service: FollowRelationshipService) { (self.me, self.service) = (me, service) }

  /// Shows the authors of a page of the feed.
  public func show(_ authors: [DID]) { rows = authors.map(Row.init) }

  /// Keeps a row current while it is on the screen: `.task(id: row.id) { await feed.observe(row) }`. A row that is
  /// scrolled away cancels the request that only it needs.
  public func observe(_ row: Row) async {
    for await relationship in service.observe(actor: me, target: row.id) { row.button.show(relationship) }
  }

  /// When the app comes to the foreground, or the feed is pulled to refresh.
  public func refresh() { service.markStale() }
}
