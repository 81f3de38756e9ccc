// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipWriting
import Relationships

/// What a block or mute of a list applies to: its purpose, and the members that the account follows.
struct ListReach: Sendable {
  let list: ATURI
  /// Nil if its record names none.
  let purpose: ListPurpose?
  /// The members that the account follows, mutuals first; nil if the members could not be read.
  var followed: [Member]?
  /// Whether more members than these were left out.
  var isPartial = false

  /// A member that the account follows.
  struct Member: Sendable {
    let name: String
    let isMutual: Bool
  }

  /// Lists with more members are not read further: each 100 take a call.
  static let mostMembers = 10_000

  /// Whether it is made for muting and blocking.
  var isForModeration: Bool { purpose == .moderate }

  /// Whether it applies to accounts that are followed, as far as is known.
  var affectsFollows: Bool { followed?.isEmpty == false }
}

extension Wiring {
  /// The purpose of a list by its record, in the repository of its owner.
  ///
  /// - Returns: nil if there is no such list.
  /// - Throws: errors of resolution and of the server.
  func reach(of list: ATURI) async throws -> ListReach? {
    let owner = try await identities.did(of: list.authority)
    guard let collection = list.collection, let rkey = list.recordKey,
      let value = try await RecordReader(of: owner, client: try await repository(of: owner)).record(
        rkey, in: collection)
    else { return nil }
    return ListReach(list: list, purpose: OwnList(uri: list, value: value).purpose)
  }

  /// Adds to a list which of its members the account follows.
  ///
  /// - Throws: `CancellationError`.
  func addMembers(to reach: inout ListReach, as account: AuthorizedAccount) async throws {
    do {
      var views: [DID: AccountView] = [:]
      for try await member in listings(by: account.appview, as: account.did).members(of: reach.list) {
        reach.isPartial = views.count == ListReach.mostMembers
        if reach.isPartial { break }
        views[member.account] = member
      }
      let found = try await engine(of: account, journal: InMemoryJobStore()).followed(among: Set(views.keys))
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

extension AccountView {
  fileprivate var name: String {
    if let handle, !handle.isInvalid { return "\(handle)" }
    return "\(account)"
  }
}
