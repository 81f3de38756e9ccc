// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships

/// Prints the members of a list as they are read.
struct MemberRun {
  let wiring: Wiring
  /// The account that signs calls; nil for anonymous calls.
  let account: AuthorizedAccount?
  /// Whether to look up handles that the listing does not contain.
  let wantsHandles: Bool

  private var common: CommonOptions { wiring.common }

  func print(_ list: ATURI) async throws {
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("read")
    try await common.printing(MemberRow.self, environment: wiring.environment, progress: progress) {
      printer in
      if let account, list.authority == .did(account.did) {
        let count = try await printOwn(list, of: account, to: &printer, progress)
        if count == 0, try await wiring.workspace.ownLists(of: account)[list] == nil {
          throw CommandFault(.notFound, .noSuchList(list, isOwn: true))
        }
      } else {
        try await printShown(list, to: &printer, progress)
      }
    }
    if common.verbose { cost.say() }
  }

  /// Prints the members that the AppView shows, and reports how many it does not show.
  ///
  /// - Throws: what the listing throws; the error of its answers that cannot be read, after the other members.
  private func printShown(
    _ list: ATURI, to printer: inout RowPrinter<MemberRow>, _ progress: ProgressLine
  ) async throws {
    let listing = Listings(account?.appview ?? wiring.appview).members(of: list)
    var members = listing.makeAsyncIterator()
    while let member = try await members.next() {
      try printer.print(MemberRow(list: list, member: member))
      progress.advance()
    }
    try common.report(ListingReport(listing.listing, members.coverage), beside: progress)
  }

  /// - Returns: the number of member records.
  private func printOwn(
    _ list: ATURI, of account: AuthorizedAccount, to printer: inout RowPrinter<MemberRow>,
    _ progress: ProgressLine
  ) async throws -> Int {
    var names = wantsHandles ? AccountViews(client: account.appview) : nil
    var count = 0
    var waiting: [AccountView] = []
    let unreadable = UnreadableRecords(.member) { [common] in common.say($0, beside: progress) }
    defer { unreadable.finish() }
    for try await row in RecordReader(of: account.did, client: account.pds).members(of: list) {
      count += 1
      switch row {
      case .failure(let record): unreadable.add(record)
      case .success(let member): waiting.append(member)
      }
      guard waiting.count == AccountViews.batchSize else { continue }
      try await print(waiting, on: list, &names, to: &printer, progress)
      waiting = []
    }
    try await print(waiting, on: list, &names, to: &printer, progress)
    return count
  }

  private func print(
    _ members: [AccountView], on list: ATURI, _ names: inout AccountViews?,
    to printer: inout RowPrinter<MemberRow>, _ progress: ProgressLine
  ) async throws {
    var views: [DID: AccountView] = [:]
    if !members.isEmpty, let known = names {
      do { views = try await known.views(of: members.map(\.account)) } catch let error
        as RelationshipError
      {
        progress.say(.handlesNotLearned(error))
        names = nil
      }
    }
    for member in members {
      try printer.print(MemberRow(list: list, member: member.named(by: views[member.account])))
      progress.advance()
    }
  }
}
