// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations

/// `kith logout`: revokes a session and removes it here.
struct LogoutCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "logout",
    abstract: "Sign out: revoke the session and remove it.",
    discussion: """
      Signs out the current account, that of --account, or all. If one account is left, it becomes the \
      current one. If the server cannot be reached, the session is still removed here, and the exit code \
      reports it: a copy of the session could be used until it expires. Timed changes and unfinished jobs \
      wait until the account signs in again; they are listed.
      """)

  @Flag(help: "Sign out every account.")
  var all = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  mutating func validate() throws {
    if all, common.account != nil {
      throw ValidationError("--all and --account cannot be combined; omit one of them.")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let cost = CostReport(context)
    defer { if common.verbose { cost.report() } }
    let reporter = Reporter<SignOutAccounts.Row> { [context] rows in
      for row in rows { context.report(row) }
    }
    let outcome = try await SignOutAccounts(all: all).run(in: context.workspace, reporter)
    if outcome.interruption == nil, !common.quiet {
      if outcome.count == 0 { context.report(.nothingToSignOut) }
      if let next = outcome.next { context.report(.actingAs(next, isNews: true)) }
    }
    try context.end(outcome)
  }
}

extension CommandContext {
  /// Says what became of a session, and which jobs wait for a new one.
  fileprivate func report(_ row: SignOutAccounts.Row) {
    let (account, handle) = (row.account, row.handle)
    switch row.ending {
    case .success(.revoked):
      if !common.quiet { report(.signedOut(account, named: handle, hadEnded: false)) }
    case .success(.hadEnded):
      if !common.quiet { report(.signedOut(account, named: handle, hadEnded: true)) }
    case .success(.notRevoked(let error)):
      report(.notRevoked(account, named: handle, Self.words(for: error)))
    case .failure(let error): report(Message(error))
    }
    switch row.unfinishedWork {
    case .success(let work)?:
      if !work.isEmpty { report(.unfinishedWork(work, of: account, named: handle)) }
    case .failure(let error)?: report(.unfinishedWorkUnknown(account, Self.words(for: error)))
    case nil: break
    }
  }

  /// The message about an error; nil for an interruption.
  private static func words(for error: any Error) -> Message? {
    error is CancellationError ? nil : Message(any: error)
  }
}
