// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting

/// Follows all members of a starter pack except the account itself.
public struct FollowStarterPack: ChangeSource {
  public static let name = "followStarterPack"

  /// The pack: by AT-URI, address or `OWNER/NAME`.
  public var pack: String

  public init(_ pack: String) { self.pack = pack }

  public var title: ChangeTitle { .follow }

  public var confirmation: ConfirmationRule { ConfirmationRule(chosenBy: .found) }

  /// - Throws: ``OperationError`` `foreignPackList` if its list is not a reference list of its owner, `emptyPack`,
  ///   `noMemberShown`.
  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let account = preparation.account
    let pack = try await ownPack(preparation.workspace)
    var requests: [RequestedChange] = []
    let members = Listings(account.appview).members(of: pack.list) { purpose in
      guard purpose == .refer else { throw OperationError.foreignPackList(pack.uri, pack.list) }
    }
    var iterator = members.makeAsyncIterator()
    while let member = try await iterator.next() {
      if member.account == account.did { continue }
      // Ask before reading the rest: the owner can make the list arbitrarily long.
      if requests.count == StarterPack.mostMembers, preparation.asks {
        guard try await preparation.ask(.longList(pack.list, most: StarterPack.mostMembers)) else {
          throw OperationError.declined
        }
      }
      requests.append(
        RequestedChange(
          member.handle?.description ?? member.account.description, .success(.follow(member.account))))
    }
    let coverage = iterator.coverage
    preparation.note(.listed(ListingReport(members.listing, coverage)))
    if let doubt = coverage.doubt { throw doubt }
    guard !requests.isEmpty else {
      throw coverage.missing > 0
        ? OperationError.noMemberShown(pack.uri, coverage.missing) : .emptyPack(pack.uri)
    }
    return PreparedChanges(requests)
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read([.edges(.follow)])
    try await estimate.addNaming(of: pack)
    try await estimate.addMembers(listedBy: try await ownPack(estimate.workspace).list) { .follow($0) }
  }

  private func ownPack(_ workspace: Workspace) async throws -> StarterPack {
    let pack = try await workspace.starterPack(named: pack)
    guard pack.ownsList else { throw OperationError.foreignPackList(pack.uri, pack.list) }
    return pack
  }
}

extension OperationError {
  static func emptyPack(_ pack: ATURI) -> OperationError {
    OperationError(
      .emptyStarterPack, .notFound, "\(pack)", "recommends no accounts; nothing was done",
      ["uri": .text(pack)])
  }

  static func foreignPackList(_ pack: ATURI, _ list: ATURI) -> OperationError {
    OperationError(
      .foreignPackList, .invalidResponse, "\(pack)",
      "refers to \(list), which is not a reference list of the owner of the pack; nothing was done",
      ["uri": .text(pack), "list": .text(list)])
  }

  /// A starter pack whose members are counted, but not shown.
  static func noMemberShown(_ pack: ATURI, _ count: Int) -> OperationError {
    OperationError(
      .noMemberShown, .unavailable, "\(pack)",
      "the AppView shows none of the \(count) account\(count == 1 ? "" : "s") that it recommends; nothing was done",
      ["uri": .text(pack), "count": .integer(count)])
  }
}
