// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithWording

/// Who came and who left since the last visit, and why, each with a follow button.
struct ChangesCard {
  /// The most changes of a kind that are shown.
  private static let most = 20
  /// The most changes that are counted.
  private static let mostCounted = 1_000

  private let account: AccountInUse
  private let since: Datetime?
  private let rows: [HistoryRow]
  private let isCut: Bool
  private let buttons: [DID: FollowButtonRow]
  private let failure: (any Error)?

  /// - Parameter since: when the last visit ended; nil for all that is known.
  init(of account: AccountInUse, since: Datetime?) async throws {
    (self.account, self.since) = (account, since)
    let filter = HistoryFilter(sides: [.followers], since: since?.instant)
    do {
      let run = try await GatheredRun(
        ListChanges(of: account.did, filter, limit: Self.mostCounted, wantsNames: true),
        in: account.workspace, most: Self.mostCounted)
      (rows, isCut, failure) = (run.rows, run.rows.count == Self.mostCounted, nil)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      (rows, isCut, failure) = ([], false, error)
    }
    let shown = Self.kinds.flatMap { [rows] kind in rows.filter { kind.holds($0.change) }.prefix(Self.most) }
    buttons = (try? await account.followButtons(of: shown.map(\.change.account))) ?? [:]
  }

  private struct Kind: Sendable {
    let icon: Icon
    let title: @Sendable (Int) -> String
    let holds: @Sendable (HistoryChange) -> Bool
  }

  private static let kinds = [
    Kind(icon: .plus, title: { "\(Counted.words($0, "account")) came" }) { $0.kind != .lost },
    Kind(icon: .minus, title: { "\(Counted.words($0, "account")) left" }) { $0.kind == .lost },
  ]

  var html: HTML {
    let span: HTML =
      since.map { "Since \(PageTime.html($0))" } ?? "Since the first snapshot: this is your first visit"
    return """
      <section class="card" id="changes" data-on="history" data-fragment="\(account.address())" aria-labelledby="changes-title">\
      <header><h2 id="changes-title">Since your last visit</h2><span class="m xs">\(span)</span></header>\(content)</section>
      """
  }

  private var content: HTML {
    if let failure, !Self.isWithoutHistory(failure) {
      return "<p class=\"s\" role=\"alert\">The history could not be read: \(Failure(failure).sentence).</p>"
    }
    if failure != nil {
      return """
        <p class="s">Kith has no snapshot of this account, so it cannot say who came or left. Take one now, and one later.</p>\
        <p class="line"><a class="b" href="\(account.address("analytics"))">Take a snapshot</a></p>
        """
    }
    guard !rows.isEmpty else {
      return "<p class=\"m s\">No one came, and no one left, by the latest snapshot.</p>"
    }
    return
      "\(Self.kinds.map(part))<p class=\"m xs\"><kbd>j</kbd> <kbd>k</kbd> move, <kbd>f</kbd> follow or unfollow, <kbd>b</kbd> block, which asks first</p>"
  }

  private static func isWithoutHistory(_ error: any Error) -> Bool { FailureKind(any: error) == .notFound }

  private func part(_ kind: Kind) -> HTML {
    let all = rows.filter { kind.holds($0.change) }
    guard !all.isEmpty else { return HTML() }
    let more: HTML? =
      all.count > Self.most
      ? "<p class=\"m xs\">And \(Figure.words(all.count - Self.most)) more\(isCut ? " or above" : "").</p>"
      : nil
    return
      "<h3 class=\"s\">\(kind.title(all.count))</h3><ul class=\"list\">\(all.prefix(Self.most).map { item($0, kind) })</ul>\(more)"
  }

  private func item(_ row: HistoryRow, _ kind: Kind) -> HTML {
    let view = row.view ?? AccountView(row.change.account)
    let button: HTML? = buttons[view.account].map { known in
      var known = known
      // What the history has found out, the relationship does not say.
      known.button.status = row.change.loss?.cause.status
      return FollowButtonView(
        row: known, name: AccountCell.name(of: view), viewer: account, styles: FollowButtonView.Style.row
      ).html
    }
    return """
      <li data-row="\(view.account.description)">\(kind.icon.html)<div class="grow">\(AccountCell(view: view, viewer: account, isSmall: true).html)\
      <div class="m xs">\(row.change.words), \(PageTime.html(Datetime(at: row.change.before)))</div></div>\(button)</li>
      """
  }
}

extension LossCause {
  /// Why the account is not there; nil if it is, or if that is unknown.
  fileprivate var status: AccountStatus? {
    switch self {
    case .deleted: .deleted
    case .deactivated: .deactivated
    case .suspended: .suspended
    case .unfollowed, .blockedBy, .blocking, .removed, .unknown: nil
    }
  }
}

extension HistoryChange {
  /// What happened.
  fileprivate var words: String {
    switch (kind, loss?.cause) {
    case (.gained, _): "Followed you"
    case (.returned, _): "Follows you again"
    case (.lost, .unfollowed?), (.lost, .removed?): "Unfollowed you"
    case (.lost, .blockedBy?): "Blocks you"
    case (.lost, .blocking?): "You block them"
    case (.lost, .deleted?): "Deleted"
    case (.lost, .deactivated?): "Deactivated"
    case (.lost, .suspended?): "Suspended or taken down"
    case (.lost, .unknown?), (.lost, nil): "For an unknown reason"
    }
  }
}
