// SPDX-License-Identifier: Apache-2.0

package import KithClient
public import KithCore
import KithRelationships
import KithWriting

extension Workspace {
  /// The purpose of a list by its record, in the repository of its owner.
  ///
  /// - Returns: nil if the list does not exist.
  /// - Throws: errors of resolution and of the server.
  public func reach(of list: ATURI) async throws -> ListReach? {
    let owner = try await identities.did(of: list.authority)
    guard let collection = list.collection, let rkey = list.recordKey,
      let value = try await RecordReader(of: owner, client: try await repository(of: owner)).record(
        rkey, in: collection)
    else { return nil }
    return ListReach(list: list, purpose: OwnList(uri: list, value: value).purpose)
  }

  /// How many members a list has, by the AppView's count: one call.
  ///
  /// - Returns: 0 if the list does not exist; nil if the AppView does not say.
  /// - Throws: `CancellationError`.
  package func memberCount(of list: ATURI, by appview: XRPCClient) async throws -> Int? {
    guard list.isList else { return nil }
    do {
      return try await NetworkCounts(client: appview).members(of: list)
    } catch let error as RelationshipError where error.code == .listNotFound {
      return 0
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return nil
    }
  }

  /// Adds to a list which of its members the account follows.
  ///
  /// - Throws: `CancellationError`.
  public func addMembers(to reach: inout ListReach, as account: AuthorizedAccount) async throws {
    do {
      var views: [DID: AccountView] = [:]
      var members = listings(by: account.appview, as: account.did).members(of: reach.list)
        .makeAsyncIterator()
      while let member = try await members.next() {
        reach.isPartial = views.count == ListReach.mostMembers
        if reach.isPartial { break }
        views[member.account] = member
      }
      if let doubt = members.coverage.doubt { throw doubt }
      let found = try await engine(of: account, journal: InMemoryJobStore()).followed(
        among: Set(views.keys))
      reach.followed = found.followed.map { did in
        ListReach.Member(name: views[did]?.name ?? "\(did)", isMutual: found.mutual.contains(did))
      }.sorted { ($0.isMutual ? 0 : 1, $0.name) < ($1.isMutual ? 0 : 1, $1.name) }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      reach.followed = nil
    }
  }
}
