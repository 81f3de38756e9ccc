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

  /// How often is looked at what is to be done.
  package static let pulse = Duration.seconds(60)
  /// A snapshot is due so long after the last one.
  private static let snapshotAge = Duration.seconds(86_400)
  /// After a failure, the next attempt waits so long.
  private static let snapshotRetry = Duration.seconds(3_600)
  private static let jobsRetry = Duration.seconds(900)
  /// The machine slept if a pause took so much longer than it should.
  private static let sleep = Duration.seconds(120)
  /// Another reader of the stream has gone if its place is so far behind.
  private static let lag = Duration.seconds(120)

  /// Carries questions to their answers; it is cancelled at the end.
  package typealias Serve =
    @Sendable (@escaping @Sendable (LocalRequest) async -> LocalResponse) async -> Void

  private let version: String
  private let serve: Serve
  private let beat: @Sendable (DaemonBeat) -> Void

  /// Creates the operation.
  ///
  /// - Parameters:
  ///   - version: that of the program, which is told to those that ask.
  ///   - beat: is called at the beginning, and after each look, while all is well.
  package init(
    version: String, serving serve: @escaping Serve, beat: @escaping @Sendable (DaemonBeat) -> Void = { _ in }
  ) {
    (self.version, self.serve, self.beat) = (version, serve, beat)
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
    let work = Work(workspace, store, service, report, beat)
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
    private let beat: @Sendable (DaemonBeat) -> Void

    init(
      _ workspace: Workspace, _ store: any HistoryStore, _ service: DaemonService,
      _ report: Reporter<SnapshotRow>, _ beat: @escaping @Sendable (DaemonBeat) -> Void
    ) {
      (self.workspace, self.store, self.service) = (workspace, store, service)
      (self.report, self.beat) = (report, beat)
    }

    private var now: Instant { workspace.time.instant }

    /// Repeats a look at what is to be done, with pauses. An error is noted once as long as it stays the same.
    ///
    /// - Parameter look: is told whether the machine slept since the last look.
    private func `repeat`(
      _ task: DaemonTask, _ look: (_ hasSlept: Bool) async throws -> Void
    ) async throws {
      var (last, told) = (now, String?.none)
      while true {
        let hasSlept = now - last > RunDaemon.pulse + RunDaemon.sleep
        last = now
        do {
          try await look(hasSlept)
          told = nil
        } catch let error where !(error is CancellationError || error is RowsClosed) {
          let text = "\(error)"
          if told != text { report.note(.daemonTaskFailed(task, error)) }
          told = text
        }
        try await workspace.time.sleep(for: RunDaemon.pulse)
      }
    }

    /// Follows the watched accounts, also those that are added or removed later.
    func follow() async throws {
      var places: [HistoryListing: StreamCursor] = [:]
      try await self.repeat(.stream) { hasSlept in
        let watched = try await store.watched().map(\.actor)
        let before = places
        places = try await store.cursors(of: DaemonService.listings(of: watched))
        beat(DaemonBeat(watched: watched.count, place: service.place))
        let failure = if case .failed(let error) = service.source.state { error } else { (any Error)?.none }
        let isReplaced = (failure as? HistoryError)?.code == .replaced
        // Another process follows the accounts, and goes on as long as it reads.
        if isReplaced, places != before { return }
        await service.watch(watched, again: hasSlept || failure != nil || isLeftBehind(places))
        if let failure, !isReplaced { throw failure }
      }
    }

    /// Whether a listing has lost its reader: another process took it over, and has ended.
    private func isLeftBehind(_ places: [HistoryListing: StreamCursor]) -> Bool {
      guard case .connected = service.source.state, let place = service.place else { return false }
      return places.values.contains { place - $0.at > RunDaemon.lag }
    }

    /// Takes the snapshots that are due.
    func takeSnapshots(_ count: (Int) -> Void) async throws {
      var next: [DID: Instant] = [:]
      // What was never read is read by the stream first.
      try await workspace.time.sleep(for: RunDaemon.pulse)
      try await self.repeat(.snapshots) { _ in
        var failure: (any Error)?
        for actor in try await store.watched().map(\.actor) {
          // A clock that was set back makes all due.
          if let time = next[actor], now < time, time - now <= RunDaemon.snapshotAge { continue }
          let snapshots = try await store.snapshots(of: HistoryListing(.followers, of: actor))
          if let last = snapshots.last(where: { $0.state == .complete })?.startedAt, last <= now,
            now - last < RunDaemon.snapshotAge
          {
            next[actor] = last + RunDaemon.snapshotAge
            continue
          }
          let outcome = try await TakeSnapshots(of: .these([actor])).run(in: workspace, report)
          count(outcome.summary.taken)
          if outcome.rows.isClosed { throw RowsClosed() }
          guard let error = outcome.rows.interruption else {
            // Of a listing that failed there is a note.
            let hasFailed = outcome.summary.failed > 0
            next[actor] = now + (hasFailed ? RunDaemon.snapshotRetry : RunDaemon.snapshotAge)
            continue
          }
          try Task.checkCancellation()
          // What another process reads now is waited for.
          if let error = error as? HistoryError, error.code == .inUse { continue }
          next[actor] = now + RunDaemon.snapshotRetry
          failure = failure ?? error
        }
        if let failure { throw failure }
      }
    }

    /// Takes back timed changes whose time is over.
    func endJobs(_ count: @escaping @Sendable (Int) -> Void) async throws {
      var tried: (jobs: Set<JobID>, at: Instant) = ([], .epoch)
      try await self.repeat(.jobs) { _ in
        guard let journal = try workspace.stores.journal(.leave) else { return }
        let due = Set(try await journal.due(at: now).map(\.job.id))
        guard !due.isEmpty else { return }
        // What could not be taken back is not tried each minute.
        let isNew = !due.isSubset(of: tried.jobs)
        guard isNew || now - tried.at >= RunDaemon.jobsRetry || now < tried.at else { return }
        tried = (due, now)
        let outcome = try await EndDueJobs(options: JobOptions(stopsWhenShort: true)).run(
          in: workspace, Reporter(rows: { count($0.count) }, note: report.note))
        if let error = outcome.interruption { throw error }
      }
    }
  }
}

/// A sign that the daemon is alive.
package struct DaemonBeat: Sendable, Hashable {
  /// The number of accounts that it watches.
  package let watched: Int
  /// Up to when it has read the stream; nil if it has read nothing yet.
  package let place: Instant?
}
