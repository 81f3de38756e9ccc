// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
public import ArgumentParser
import RelationshipStore
public import Relationships

/// `kith snapshot`: remember who is there, and find out who left and why.
struct SnapshotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    _superCommandName: Program.name,
    abstract: "Remember who is there, and find out who left and why.",
    discussion: """
      Takes a snapshot of the followers and follows of each actor; of yourself also of blocks, mutes and the members of \
      your lists. kith history tells what changed between snapshots. A snapshot reads the newest followers and stops \
      where nothing has changed by the profile's count; once a week it reads all. Accounts that are missing are asked \
      about before a loss is written down: what servers did not tell stays unconfirmed, and is asked again the next time.

        kith snapshot
        kith snapshot alice.test --full
        kith snapshot --watched

      \(SnapshotRow.help)
      """)

  @Argument(
    help: ArgumentHelp("Actors; yourself where none is named.", valueName: "actor"))
  var actors: [String] = []

  @Flag(help: "All actors of kith watch list.")
  var watched = false

  @Flag(help: "Read all of each listing, though nothing seems to have changed.")
  var full = false

  @Flag(help: "Learn when each new follower followed, at one call more for every 30.")
  var dates = false

  @Option(
    name: .customLong("side"),
    help: ArgumentHelp(
      "Only this side: followers, follows, blocks, mutes or members. May be repeated.", valueName: "side"))
  var sides: [HistoryListing.Side] = []

  @OptionGroup var cost: ExplainOptions
  @OptionGroup var common: CommonOptions

  mutating func validate() throws {
    if watched, !actors.isEmpty {
      throw ValidationError("--watched takes the actors of kith watch list; leave \(actors[0]) out.")
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let targets: [DID]
    if watched {
      targets = try await wiring.historyToRead().watchedByAge()
      if targets.isEmpty { throw CommandFault(.notFound, .noneWatched) }
    } else {
      targets = try await wiring.accounts(named: actors.isEmpty ? ["me"] : actors)
    }
    var own: [DID: AuthorizedAccount] = [:]
    for target in targets { own[target] = try await wiring.account(of: target) }
    if cost.explain { return try await explain(targets, Set(own.keys), wiring) }
    let run = SnapshotRun(wiring: wiring, own: own, options: .init(isFull: full, dates: dates))
    try await run.take(targets) { [own] in try sides(of: $0, isOwn: own[$0] != nil) }
  }

  /// What is wanted of an actor.
  ///
  /// - Throws: ``CommandFault`` for what only the actor's own account can be asked.
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
  /// Who is watched, those first whose last snapshot is the oldest: a run that is cut off starves nobody.
  fileprivate func watchedByAge() async throws -> [DID] {
    var ages: [(actor: DID, startedAt: Int64)] = []
    for watched in try await watched() {
      let last = try await History(self).snapshots(of: watched.actor).last
      ages.append((watched.actor, last?.startedAt ?? .min))
    }
    return ages.sorted { $0.startedAt < $1.startedAt }.map(\.actor)
  }
}

/// Takes snapshots of actors one after the other, and prints each as it ends.
struct SnapshotRun {
  let wiring: Wiring
  /// Those of the actors that are signed in here.
  let own: [DID: AuthorizedAccount]
  let options: SnapshotRecorder.Options

  private var common: CommonOptions { wiring.common }

  /// - Parameter sides: what is wanted of each actor.
  func take(_ actors: [DID], _ sides: (DID) throws -> [HistoryListing.Side]) async throws {
    let plans = try actors.map { ($0, try sides($0)) }
    let store = try wiring.history()
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("read")
    let names = wiring.names()
    var summary = SnapshotSummary()
    var actorsSeen: [DID: AccountView] = [:]
    var failure: (any Error)?
    do {
      try await common.printing(SnapshotRow.self, environment: wiring.environment, progress: progress) {
        printer in
        for (actor, sides) in plans {
          do {
            let recorder = wiring.recorder(to: store, as: own[actor])
            try await recorder.take(of: actor, sides, options) { views in
              progress.advance(by: views.count)
              await names.remember(views)
            } taken: { outcome in
              summary.add(outcome)
              if let view = outcome.actor { actorsSeen[view.account] = view }
              try printer.print(SnapshotRow(snapshot: outcome.snapshot, handle: outcome.actor?.handle))
              try printer.flush()
              if let fault = outcome.fault { progress.say(.snapshotFailed(outcome.snapshot, fault)) }
            }
          } catch let error as any CodedError where actors.count > 1 && !(error is StoreError) {
            // Another process takes it, or a server tells nothing: the others are still wanted.
            let fault = CommandFault(error) ?? CommandFault(.unavailable, Message(other: error))
            summary.status = summary.status.orGraver(fault.status)
            if let said = fault.said { progress.say(said) }
          }
        }
      }
    } catch {
      failure = error
    }
    await names.remember(Array(actorsSeen.values))
    await names.prune()
    if (failure as? CommandFault)?.status == .readerGone { throw failure ?? CancellationError() }
    if !common.quiet, failure == nil || summary.taken > 0 {
      StandardError.say(.snapshotSummary(summary, cost.cost, elapsed: cost.elapsed))
    }
    if common.verbose { cost.say() }
    if let failure { throw CommandFault.ending(with: failure, after: summary.status) }
    if summary.status != .success { throw CommandFault(summary.status) }
  }
}
