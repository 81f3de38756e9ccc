// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore

/// How far a repository is read to find one follow.
package struct FollowSearchBounds: Sendable, Hashable {
  /// The most pages of 100 records.
  package let pages: Int
  /// No page is requested after this time.
  package let time: Duration

  package init(pages: Int, time: Duration) {
    self.pages = pages
    self.time = time
  }
}

extension Listings {
  /// What a repository says about a follow.
  package enum FollowAnswer: Sendable {
    /// The record, and its date.
    case found(AccountView)
    /// The repository has none, or the account is gone for good; some records may be unreadable, so that their subjects
    /// are unknown.
    case absent(unreadable: Int)
    /// The repository's server does not show it: it may be suspended, deactivated or deleted (Q18).
    case unseen
    /// It was not found within the bounds, and there are more records.
    case tooLong
    case failed(RelationshipError)
  }

  /// Whether an account follows another one in a graph, by its own repository.
  ///
  /// A key that is known costs one call if its record is still there. Otherwise the records are read until one is found,
  /// at most one call per 100: a new follow has a new key.
  /// - Throws: `CancellationError`.
  package func follow(
    from follower: DID, to subject: DID, in graph: FollowGraph, knownAs key: RecordKey? = nil,
    within bounds: FollowSearchBounds? = nil
  ) async throws -> FollowAnswer {
    do {
      let reader = try await reader(of: follower)
      if let key, let view = try await reader.account(key, in: graph.kind), view.account == subject {
        return .found(view)
      }
      return try await find(subject, by: reader, in: graph, within: bounds)
    } catch let error as IdentityError where error.code == .notFound {
      return .absent(unreadable: 0)
    } catch let error as RepositoryError where error.code == .refused {
      return .unseen
    } catch {
      guard let fault = RelationshipError.wrapping(error) else { throw error }
      return .failed(fault)
    }
  }

  private func find(
    _ subject: DID, by reader: RecordReader, in graph: FollowGraph, within bounds: FollowSearchBounds?
  ) async throws -> FollowAnswer {
    let start = client.time.now
    var pages = reader.accounts(in: graph.kind).makeAsyncIterator()
    var (read, unreadable) = (0, 0)
    // After the last page, receiving the end costs nothing.
    while pages.isAtEnd || bounds.map({ read < $0.pages && client.time.now - start < $0.time }) ?? true {
      guard let page = try await pages.nextPage() else { return .absent(unreadable: unreadable) }
      read += 1
      for row in page {
        switch row {
        case .success(let view)?: if view.account == subject { return .found(view) }
        case .failure(let record)?: if !record.isAboutSomethingElse(in: graph.kind) { unreadable += 1 }
        case nil: break
        }
      }
    }
    return .tooLong
  }
}
