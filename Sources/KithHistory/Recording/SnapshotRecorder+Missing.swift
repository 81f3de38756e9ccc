// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// What snapshots conclude about missing accounts.
extension SnapshotRecorder {
  /// Accounts per page of the store.
  private static let missingPage = 5_000
  /// Accounts that the AppView does not show, records and repositories that one snapshot of a listing asks about one by
  /// one. The others stay unconfirmed until a later snapshot: a server that lost its data would otherwise
  /// cost up to three calls for each account, every night.
  static let mostSingle = 2_000

  /// What a snapshot says of the accounts that are missing.
  struct Findings {
    /// Accounts that are neither lost nor known to be there.
    var unconfirmed = 0
    /// Accounts that were kept although the AppView reports them as gone.
    var doubted = 0
    /// Why losses were not concluded, if that applies to more than single accounts.
    var note: String?
  }

  /// Checks the missing accounts and records losses.
  func conclude(
    _ writer: any SnapshotWriter, _ reading: Reading, _ judge: LossClassifier
  ) async throws -> Findings {
    let missing = try await missingAccounts(writer)
    guard !missing.isEmpty else { return Findings() }
    let withheld = try await writer.withheld()
    guard reading.isWhole else {
      // What was in doubt stays so.
      try await writer.withhold(missing.map(\.account).filter(withheld.contains))
      return Findings(unconfirmed: missing.count, note: "a record of the listing is unreadable")
    }
    let inquiry = try await inquiry(about: missing, withheld, writer, reading, judge)
    let conclusion = inquiry.conclusion
    try await writer.lose(conclusion.losses)
    _ = try await writer.add(conclusion.kept)
    let lost = Set(conclusion.losses.map(\.account))
    let doubted = Set(conclusion.kept.map(\.account) + conclusion.waiting)
    try await writer.withhold(
      missing.map(\.account).filter { doubted.contains($0) || withheld.contains($0) && !lost.contains($0) })
    var findings = Findings(unconfirmed: missing.count - lost.count - conclusion.kept.count)
    findings.doubted = doubted.count
    if !conclusion.waiting.isEmpty {
      findings.note = inquiry.note(about: conclusion)
    } else if findings.unconfirmed > inquiry.doubt.listed.allowance {
      findings.note = "servers gave no clear answer about the missing accounts"
    }
    return findings
  }

  private func inquiry(
    about missing: [HistoryEdge], _ withheld: Set<DID>, _ writer: any SnapshotWriter, _ reading: Reading,
    _ judge: LossClassifier
  ) async throws -> LossInquiry {
    let listing = writer.snapshot.listing
    var doubt = LossDoubt(listing, listed: writer.previous?.counts ?? Snapshot.Counts(), withheld: withheld)
    (doubt.isEmptied, doubt.new) = (reading.isEmptied, reading.new)
    doubt.isAnotherAppView = writer.snapshot.isOfAnotherAppView(than: writer.previous)
    var (inquiry, single) = (LossInquiry(missing, of: listing, doubt), Self.mostSingle)
    return try await asking {
      try await inquiry.ask(
        judge, beginningAt: writer.snapshot.id.number, malformed: reading.malformed, &single,
        listings.client.configuration.random)
      return inquiry
    }
  }

  private func missingAccounts(_ writer: any SnapshotWriter) async throws -> [HistoryEdge] {
    var edges: [HistoryEdge] = []
    while true {
      let page = try await writer.missing(after: edges.last?.account, most: Self.missingPage)
      guard !page.isEmpty else { return edges }
      edges += page
    }
  }
}

extension Snapshot {
  /// Whether both were read from AppViews, and these differ.
  func isOfAnotherAppView(than other: Snapshot?) -> Bool {
    guard let appview, let former = other?.appview else { return false }
    return appview != former
  }
}

extension LossInquiry {
  /// What was asked, and what waits.
  fileprivate func note(about conclusion: Conclusion) -> String {
    let waiting = "\(conclusion.waiting.count) wait for the next full snapshot"
    guard poll.asked > 0 else { return "many seem to be gone at once; \(waiting)" }
    let gone = conclusion.waiting.count + conclusion.kept.count
    let asked =
      "of \(poll.asked) repositories that were asked, \(poll.following) still have the follow and "
      + "\(poll.answers.count - poll.following) do not"
    return "the AppView does not show \(gone) accounts that followed; \(asked); \(waiting)"
  }
}
