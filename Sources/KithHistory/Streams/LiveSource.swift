// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
public import KithRelationships

/// Keeps relationships, the counts of profiles and the history current by a stream, while an app is in use.
///
/// ```swift
/// let store = try HistoryFile.open(in: folder)
/// let live = LiveSource(LiveHistory(Listings(appview), store: store, transport: transport), service: service)
/// live.start([HistoryListing(.followers, of: me), HistoryListing(.follows, of: me)])
/// for await state in live.states { show(state) }
/// ```
///
/// What the service has cached changes as it happens, and so does what `observe(actor:target:)` shows. Counts of a
/// `ProfileService` with the overlay of the service change as well; read its cached profile after an event.
///
/// Errors of the network only interrupt it. What ends a ``LiveHistory`` ends this, too, and is shown as ``State/failed(_:)``:
/// a host without streams, a store that cannot be written, or another reader of the listings. It does not try again by
/// itself, because a time alone mends none of these; ``start(_:)`` and ``refresh()`` do.
///
/// Ends when it is released.
public final class LiveSource: Sendable {
  /// How current is what is shown.
  public enum State: Sendable {
    /// It was not started, or was stopped.
    case stopped
    /// It is not connected yet; the first time, listings are read before.
    case starting
    case connected
    /// It was interrupted then, for this reason, and connects again by itself.
    case disconnected(since: Instant, any Error)
    /// It is connected, but has missed events: what happened since then is unknown until the listings are read again.
    case unknown(since: Instant)
    /// It ended.
    case failed(any Error)
  }

  private let history: LiveHistory
  private let service: FollowRelationshipService
  private let report: LiveHistory.Receiver
  private let status: LiveStatus

  /// Creates a source, which is not started.
  ///
  /// - Parameters:
  ///   - service: what is cached and observed of it is kept current.
  ///   - report: is told what happens, after the service; an error that it throws ends the source.
  public init(
    _ history: LiveHistory, service: FollowRelationshipService,
    report: @escaping LiveHistory.Receiver = { _ in }
  ) {
    (self.history, self.service, self.report) = (history, service, report)
    status = LiveStatus(history.time)
  }

  deinit { status.close() }

  /// How current is what is shown now.
  public var state: State { status.state }

  /// The state now, and whenever it changes; a slow reader skips states. Each access is a subscription of its own, which ends
  /// when the source is released.
  public var states: AsyncStream<State> { status.states }

  /// Follows listings from now on. Does nothing if it does so already; other listings take the place of those before.
  public func start(_ listings: [HistoryListing]) {
    begin { $0.isRunning && $0.listings == listings ? nil : listings }
  }

  /// Connects at once, and has observed relationships requested again, such as when an app comes to the foreground. Tries
  /// again after an error. Does nothing if the source is stopped.
  public func refresh() {
    guard begin({ $0.listings }) else { return }
    service.markStale()
  }

  /// Ends it, and waits until the connection is closed. It can be started again, and continues there.
  public func stop() async { await status.stop() }

  /// Begins a run after the one before.
  ///
  /// - Parameter choose: what to follow; nil to do nothing.
  @discardableResult
  private func begin(_ choose: (LiveStatus.Run) -> [HistoryListing]?) -> Bool {
    status.begin(choose) { [history, service, report, status] number, listings, former in
      Task {
        await former?.value
        do {
          try await history.run(listings, feeding: service) { event in
            status.take(event, in: number)
            try await report(event)
          }
          status.end(number, .stopped)
        } catch {
          status.end(number, .failed(error))
        }
      }
    }
  }
}

/// What a source does now, and those that are told of it.
///
/// Apart from the source, so that what runs does not keep the source alive.
private final class LiveStatus: Sendable {
  /// A run of a history.
  struct Run {
    var number = 0
    var listings: [HistoryListing]?
    var isRunning = false
    var task: Task<Void, Never>?
  }

  private struct Current {
    var run = Run()
    var state = LiveSource.State.stopped
    /// When it was interrupted; nil if it is not.
    var interruptedAt: Instant?
    /// From when on events were missed, and what is not read again yet.
    var missed: (since: Instant, unread: Set<HistoryListing>)?
    var readers: [Int: AsyncStream<LiveSource.State>.Continuation] = [:]
    var lastReader = 0

    mutating func show(_ state: LiveSource.State) {
      self.state = state
      for reader in readers.values { reader.yield(state) }
    }
  }

  private let time: TimeSource
  private let current = PosixMutex(Current())

  init(_ time: TimeSource) { self.time = time }

  var state: LiveSource.State { current.withLock(\.state) }

  var states: AsyncStream<LiveSource.State> {
    let (states, reader) = AsyncStream.makeStream(
      of: LiveSource.State.self, bufferingPolicy: .bufferingNewest(1))
    let number = current.withLock { current in
      current.lastReader += 1
      current.readers[current.lastReader] = reader
      reader.yield(current.state)
      return current.lastReader
    }
    reader.onTermination = { [weak self] _ in self?.leave(number) }
    return states
  }

  private func leave(_ reader: Int) { _ = current.withLock { $0.readers.removeValue(forKey: reader) } }

  /// Begins a run; the one before is cancelled.
  func begin(
    _ choose: (Run) -> [HistoryListing]?,
    _ make: (_ number: Int, _ listings: [HistoryListing], _ former: Task<Void, Never>?) -> Task<Void, Never>
  ) -> Bool {
    current.withLock { current in
      guard let listings = choose(current.run) else { return false }
      let former = current.run.task
      former?.cancel()
      let number = current.run.number + 1
      current.missed?.unread.formIntersection(LiveHistory.followed(listings))
      if current.missed?.unread.isEmpty == true { current.missed = nil }
      current.run = Run(
        number: number, listings: listings, isRunning: true, task: make(number, listings, former))
      if current.interruptedAt == nil { current.show(.starting) }
      return true
    }
  }

  func stop() async {
    let (task, number) = current.withLock { current in
      current.run.number += 1
      (current.run.listings, current.run.isRunning, current.interruptedAt) = (nil, false, nil)
      if case .stopped = current.state {} else { current.show(.stopped) }
      return (current.run.task, current.run.number)
    }
    task?.cancel()
    await task?.value
    current.withLock { if $0.run.number == number { $0.run.task = nil } }
  }

  /// Ends everything: the source is released.
  func close() {
    let (task, readers) = current.withLock { current in
      current.run.number += 1
      return (current.run.task, current.readers.values)
    }
    task?.cancel()
    for reader in readers { reader.finish() }
  }

  /// A run has ended by itself.
  func end(_ number: Int, _ state: LiveSource.State) {
    current.withLock { current in
      guard current.run.number == number else { return }
      (current.run.isRunning, current.interruptedAt) = (false, nil)
      current.show(state)
    }
  }

  func take(_ event: LiveEvent, in number: Int) {
    current.withLock { current in
      guard current.run.number == number else { return }
      switch event {
      case .connected:
        current.interruptedAt = nil
        current.show(current.missed.map { .unknown(since: $0.since) } ?? .connected)
      case .disconnected(let error, _):
        let since = current.interruptedAt ?? time.instant
        current.interruptedAt = since
        current.show(.disconnected(since: since, error))
      case .gap(let gap):
        let since = min(gap.since, current.missed?.since ?? gap.since)
        current.missed = (since, Set(LiveHistory.followed(current.run.listings ?? [])))
        current.show(.unknown(since: since))
      case .read(let outcome) where outcome.snapshot.state == .complete:
        guard current.missed?.unread.remove(outcome.snapshot.listing) != nil,
          current.missed?.unread.isEmpty == true
        else { return }
        current.missed = nil
        if current.interruptedAt == nil { current.show(.connected) }
      default: break
      }
    }
  }
}
