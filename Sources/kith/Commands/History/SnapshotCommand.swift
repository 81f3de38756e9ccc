// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import KithClient
import KithCore
public import KithHistory
import KithOperations
import KithRelationships
import KithStore

/// `kith snapshot`: records the relationships of accounts and finds changes.
struct SnapshotCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "snapshot",
    abstract: "Take snapshots of followers and follows to find out who left and why.",
    discussion: """
      Takes a snapshot of the followers and follows of each account; for your own account, also of blocks, \
      mutes and the members of your lists. kith history shows the changes between snapshots. A snapshot \
      reads the newest followers and stops if the count in the profile shows no further change; once a week \
      it reads all. Missing accounts are checked before a loss is recorded: if servers do not answer, the \
      loss stays unconfirmed and is checked again the next time.

        kith snapshot
        kith snapshot alice.test --full
        kith snapshot --watched

      \(SnapshotRow.help)
      """)

  @Argument(
    help: ArgumentHelp("Accounts. Default: yours.", valueName: "account"), completion: .actor)
  var actors: [String] = []

  @Flag(help: "All accounts of kith watch list.")
  var watched = false

  @Flag(help: "Read each listing completely, even if nothing seems to have changed.")
  var full = false

  @Flag(help: "Add the follow date of each new follower (1 extra call per 30).")
  var dates = false

  @Option(
    name: .customLong("side"),
    help: ArgumentHelp(
      "Only this side: followers, follows, blocks, mutes or members. May be repeated.", valueName: "side"))
  var sides: [HistoryListing.Side] = []

  @OptionGroup var cost: ExplainOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { cost.explain ? PlanRow.self : SnapshotRow.self }

  mutating func validate() throws {
    if watched, !actors.isEmpty {
      throw ValidationError("--watched uses the accounts of kith watch list; omit \(actors[0]).")
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let targets: [DID]
    if watched {
      targets = try await wiring.workspace.historyToRead().watchedByAge()
      if targets.isEmpty { throw CommandFault(.notFound, .noneWatched) }
    } else {
      targets = try await wiring.workspace.accounts(named: actors.isEmpty ? ["me"] : actors)
    }
    var own: [DID: AuthorizedAccount] = [:]
    for target in targets { own[target] = try await wiring.workspace.account(of: target) }
    if cost.explain { return try await explain(targets, Set(own.keys), wiring) }
    wiring.warnOfPlainDirectory()
    let run = SnapshotRun(wiring: wiring, own: own, options: .init(isFull: full, dates: dates))
    try await run.take(targets) { [own] in try sides(of: $0, isOwn: own[$0] != nil) }
  }

  /// The sides to record for an account.
  ///
  /// - Throws: ``CommandFault`` for the mutes of another account, which are private.
  private func sides(
    of actor: DID, isOwn: Bool
  ) throws(CommandFault) -> [HistoryListing.Side] {
    guard !sides.isEmpty else { return isOwn ? HistoryListing.Side.allCases : [.followers, .follows] }
    if !isOwn, sides.contains(.mutes) { throw CommandFault(.notAllowed, .mutesOfOthers(actor)) }
    return HistoryListing.Side.allCases.filter(sides.contains)
  }

  private func explain(_ targets: [DID], _ own: Set<DID>, _ wiring: Wiring) async throws {
    var plan = CostPlan(concurrency: wiring.concurrency)
    for target in targets {
      let sides = try sides(of: target, isOwn: own.contains(target))
      let listings: [ActorListing] = [.followers(of: .did(target)), .follows(of: .did(target))]
      let counts = try await NetworkCounts(client: wiring.appview).entries(of: listings)
      plan.addSnapshot(sides, followers: counts[0], follows: counts[1])
    }
    plan.targets = targets.count
    try common.print(plan, concurrency: wiring.concurrency, environment: wiring.environment)
  }
}

extension HistoryListing.Side: ExpressibleByArgument {}

extension HistoryStore {
  /// The watched accounts, oldest snapshot first, so an interrupted run starves none of them.
  fileprivate func watchedByAge() async throws -> [DID] {
    var ages: [(actor: DID, startedAt: Instant)] = []
    for watched in try await watched() {
      let last = try await History(self).snapshots(of: watched.actor).last
      ages.append((watched.actor, last?.startedAt ?? .distantPast))
    }
    return ages.sorted { $0.startedAt < $1.startedAt }.map(\.actor)
  }
}

/// Takes snapshots of accounts one after the other and prints each when it is done.
struct SnapshotRun {
  let wiring: Wiring
  /// The accounts that are signed in here.
  let own: [DID: AuthorizedAccount]
  let options: SnapshotRecorder.Options

  private var common: CommonOptions { wiring.common }

  /// - Parameter sides: the sides to record for each account.
  func take(_ actors: [DID], _ sides: (DID) throws -> [HistoryListing.Side]) async throws {
    let plans = try actors.map { ($0, try sides($0)) }
    let store = try wiring.workspace.history()
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("read")
    var summary = SnapshotSummary()
    var failure: (any Error)?
    do {
      try await common.printing(SnapshotRow.self, environment: wiring.environment, progress: progress) {
        printer in
        for (actor, sides) in plans {
          do {
            let recorder = wiring.workspace.recorder(to: store, as: own[actor])
            try await recorder.take(of: actor, sides, options) { count in
              progress.advance(by: count)
            } taken: { outcome in
              summary.add(outcome)
              try printer.print(SnapshotRow(snapshot: outcome.snapshot, handle: outcome.actor?.handle))
              try printer.flush()
              if outcome.unreadable > 0 {
                progress.say(.snapshotIncomplete(outcome.snapshot, outcome.unreadable))
              }
              if let fault = outcome.fault { progress.say(.snapshotFailed(outcome.snapshot, fault)) }
            }
          } catch let error as any CodedError where actors.count > 1 && !(error is StoreError) {
            // Another process is taking this snapshot, or a server does not answer: continue with the others.
            let fault = CommandFault(any: error) ?? CommandFault(.unavailable, Message(other: error))
            summary.status = summary.status.orMoreSevere(fault.status)
            if let said = fault.said { progress.say(said) }
          }
        }
      }
    } catch {
      failure = error
    }
    await wiring.workspace.names().prune()
    if (failure as? CommandFault)?.status == .readerGone { throw failure ?? CancellationError() }
    if !common.quiet, failure == nil || summary.taken > 0 {
      StandardError.say(.snapshotSummary(summary, cost.cost, elapsed: cost.elapsed))
    }
    if common.verbose { cost.say() }
    if let failure { throw CommandFault.ending(with: failure, after: summary.status) }
    if summary.status != .success { throw CommandFault(summary.status) }
  }
}
