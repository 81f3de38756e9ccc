// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithCore
import KithHistory
package import KithLocalMessages
import KithRelationships
import KithWriting

/// Does all that is to be done in the background, until it is cancelled: follows the watched accounts, takes their snapshots when
/// they are due, and takes back timed changes whose time is over.
///
/// There is a row for each snapshot. Nothing ends it but its caller: what fails is noted once, and tried again. Times are those of the
/// calendar, so that what was due while the machine slept is done when it wakes.
public struct RunDaemon: KithOperation {
  public static let name = "runDaemon"

  /// The time between two looks at what is to be done.
  package static let interval = Duration.seconds(60)
  /// A snapshot is due so long after the last one.
  private static let snapshotAge = Duration.seconds(86_400)
  /// After a failure, the next attempt waits so long.
  private static let snapshotRetry = Duration.seconds(3_600)
  private static let jobsRetry = Duration.seconds(900)
  /// The machine slept if a pause took so much longer than it should.
  private static let sleep = Duration.seconds(120)
  /// Another reader of the stream has gone if its cursor is so old, and stands still.
  fileprivate static let abandoned = Duration.seconds(600)

  /// Carries questions to their answers; it is cancelled at the end.
  package typealias Serve =
    @Sendable (@escaping @Sendable (LocalRequest) async -> LocalResponse) async -> Void

  private let version: String
  private let serve: Serve
  private let heartbeat: @Sendable (DaemonHeartbeat) -> Void

  /// Creates the operation.
  ///
  /// - Parameters:
  ///   - version: that of the program, which is told to those that ask.
  ///   - heartbeat: is called after each look at the accounts, the first of which is made at once.
  package init(
    version: String, serving serve: @escaping Serve,
    heartbeat: @escaping @Sendable (DaemonHeartbeat) -> Void = { _ in }
  ) {
    (self.version, self.serve, self.heartbeat) = (version, serve, heartbeat)
  }

  /// What was done.
  public struct Outcome: OperationOutcome {
    /// The number of snapshots.
    public fileprivate(set) var snapshots = 0
    /// How often timed changes were taken back.
    public fileprivate(set) var jobs = 0
    /// How often events were missed, so that all had to be read again.
    public fileprivate(set) var gaps = 0
    /// What ended it: its caller, or a reader of rows that went away.
    public fileprivate(set) var interruption: (any Error)?
    fileprivate var isClosed = false

    public var ending: Ending { Ending(interruption, isClosed: isClosed) }
    public var fields: [OutputField] {
      [OutputField]([
        "snapshots": .integer(snapshots), "jobs": .integer(jobs), "gaps": .integer(gaps),
      ])
    }
  }

  /// - Throws: ``OperationError`` `noHistory`; what the stores throw when they are opened.
  public func run(in workspace: Workspace, _ report: Reporter<SnapshotRow>) async throws -> Outcome {
    let store = try workspace.history()
    let notes = StreamNotes(report)
    let service = DaemonService(workspace, store, version: version) { notes.take($0) }
    let work = Work(workspace, store, service, report, heartbeat)
    let outcome = PosixMutex(Outcome())
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [serve] in await serve { await service.answer($0) } }
        group.addTask { try await work.follow() }
        group.addTask {
          try await work.takeSnapshots { taken in outcome.withLock { $0.snapshots += taken } }
        }
        group.addTask { try await work.endJobs { ended in outcome.withLock { $0.jobs += ended } } }
        defer { group.cancelAll() }
        while let _ = try await group.next() { try Task.checkCancellation() }
      }
    } catch is RowsClosed {
      outcome.withLock { $0.isClosed = true }
    } catch {
      outcome.withLock { $0.interruption = error }
    }
    await service.source.stop()
    return outcome.withLock { outcome in
      outcome.gaps = notes.gaps
      return outcome
    }
  }

  /// The caller has stopped reading rows.
  private struct RowsClosed: Error {}

  // MARK: Work

  private struct Work: Sendable {
    private let workspace: Workspace
    private let store: any HistoryStore
    private let service: DaemonService
    private let report: Reporter<SnapshotRow>
    private let heartbeat: @Sendable (DaemonHeartbeat) -> Void

    init(
      _ workspace: Workspace, _ store: any HistoryStore, _ service: DaemonService,
      _ report: Reporter<SnapshotRow>, _ heartbeat: @escaping @Sendable (DaemonHeartbeat) -> Void
    ) {
      (self.workspace, self.store, self.service) = (workspace, store, service)
      (self.report, self.heartbeat) = (report, heartbeat)
    }

    private var now: Instant { workspace.time.instant }

    /// Repeats a look at what is to be done, with pauses. An error is noted once, until all is well again.
    ///
    /// - Parameter look: is told whether the machine slept since a look that did not fail, and returns whether all is well.
    private func `repeat`(
      _ task: DaemonTask, _ look: (_ hasSlept: Bool) async throws -> Bool
    ) async throws {
      var (last, hasSlept, told) = (now, false, String?.none)
      while true {
        hasSlept = hasSlept || now - last > RunDaemon.interval + RunDaemon.sleep
        last = now
        do {
          if try await look(hasSlept) { told = nil }
          hasSlept = false
        } catch let error where !(error is CancellationError || error is RowsClosed) {
          let text = "\(error)"
          if told != text { report.note(.daemonTaskFailed(task, error)) }
          told = text
        }
        try await workspace.time.sleep(for: RunDaemon.interval)
      }
    }

    /// Follows the watched accounts, also those that are added or removed later.
    func follow() async throws {
      var others: OtherReaders?
      try await self.repeat(.stream) { hasSlept in
        var count = 0
        defer { heartbeat(DaemonHeartbeat(watched: count, place: service.place)) }
        let watched = try await store.watched().map(\.actor)
        count = watched.count
        let listings = [HistoryListing](followsOf: watched)
        let (readers, cursors) = try await (store.readers(of: listings), store.cursors(of: listings))
        // At the beginning all are taken: what followed them before may be a daemon that was killed.
        let own = service.reader
        let foreign = own == nil ? [:] : readers.filter { $0.value != own }
        let busy = others.map { $0.busy(now: foreign, cursors, at: now) } ?? []
        others = OtherReaders(cursors.filter { foreign[$0.key] != nil })
        let failure = if case .failed(let error) = service.source.state { error } else { (any Error)?.none }
        await service.watch(watched.filter { !busy.contains($0) }, again: hasSlept || failure != nil)
        if let failure, (failure as? HistoryError)?.code != .replaced { throw failure }
        return if case .connected = service.source.state { true } else { false }
      }
    }

    /// Takes the snapshots that are due.
    func takeSnapshots(_ count: (Int) -> Void) async throws {
      /// When an account is looked at again, and whether a snapshot is taken then in any case.
      var next: [DID: (at: Instant, isDue: Bool)] = [:]
      // What was never read is read by the stream first.
      try await workspace.time.sleep(for: RunDaemon.interval)
      try await self.repeat(.snapshots) { _ in
        var failure: (any Error)?
        for actor in try await store.watched().map(\.actor) {
          // A clock that was set back makes all due.
          let planned = next[actor]
          if let planned, now < planned.at, planned.at - now <= RunDaemon.snapshotAge { continue }
          do {
            if planned?.isDue != true, let due = try await nextSnapshot(of: actor), now < due {
              next[actor] = (due, false)
              continue
            }
            let outcome = try await TakeSnapshots(of: .these([actor])).run(in: workspace, report)
            count(outcome.summary.taken)
            if outcome.rows.isClosed { throw RowsClosed() }
            try Task.checkCancellation()
            if let error = outcome.rows.interruption { throw error }
            // Of a listing that failed there is a note.
            next[actor] =
              outcome.summary.failed > 0
              ? (now + RunDaemon.snapshotRetry, true) : (now + RunDaemon.snapshotAge, false)
          } catch let error as HistoryError where error.code == .inUse {
            // What another process reads now is waited for.
            next[actor] = (now, true)
          } catch let error where !(error is CancellationError || error is RowsClosed) {
            next[actor] = (now + RunDaemon.snapshotRetry, true)
            failure = failure ?? error
          }
        }
        if let failure { throw failure }
        return true
      }
    }

    /// When the next snapshot of an account is due: a day after the oldest of those that are taken of it; nil for now.
    private func nextSnapshot(of actor: DID) async throws -> Instant? {
      var sides: [HistoryListing.Side] = [.followers, .follows]
      if try await workspace.account(of: actor) != nil { sides += [.blocks, .mutes] }
      var oldest: Instant?
      for side in sides {
        let snapshots = try await store.snapshots(of: HistoryListing(side, of: actor))
        guard let last = snapshots.last(where: { $0.state == .complete })?.startedAt, last <= now else {
          return nil
        }
        oldest = min(oldest ?? last, last)
      }
      return oldest.map { $0 + RunDaemon.snapshotAge }
    }

    /// Takes back timed changes whose time is over.
    func endJobs(_ count: @escaping @Sendable (Int) -> Void) async throws {
      var tried: (jobs: Set<JobID>, at: Instant) = ([], .epoch)
      try await self.repeat(.jobs) { _ in
        guard let journal = try workspace.stores.journal(.leave) else { return true }
        let due = Set(try await journal.due(at: now).map(\.job.id))
        guard !due.isEmpty else { return true }
        // What could not be taken back is not tried each minute.
        let isNew = !due.isSubset(of: tried.jobs)
        guard isNew || now - tried.at >= RunDaemon.jobsRetry || now < tried.at else { return true }
        tried = (due, now)
        let outcome = try await EndDueJobs(options: JobOptions(stopsWhenShort: true)).run(
          in: workspace, Reporter(rows: { count($0.count) }, note: report.note))
        if let error = outcome.interruption { throw error }
        return true
      }
    }
  }
}

/// The cursors of other readers at the last look: `kith live`, an app.
private struct OtherReaders {
  private let cursors: [HistoryListing: StreamCursor]

  init(_ cursors: [HistoryListing: StreamCursor]) { self.cursors = cursors }

  /// The accounts that another reader follows, and has not left: its cursor is recent, or has moved.
  func busy(
    now foreign: [HistoryListing: StreamReaderID], _ cursors: [HistoryListing: StreamCursor], at now: Instant
  ) -> Set<DID> {
    Set(
      foreign.keys.filter { listing in
        guard let cursor = cursors[listing] else { return false }
        return now - cursor.at < RunDaemon.abandoned || cursor != self.cursors[listing]
      }.map(\.actor))
  }
}

/// A sign that the daemon is alive.
package struct DaemonHeartbeat: Sendable, Hashable {
  /// The number of accounts that it watches.
  package let watched: Int
  /// Up to when it has read the stream; nil if it has read nothing yet.
  package let place: Instant?
}
