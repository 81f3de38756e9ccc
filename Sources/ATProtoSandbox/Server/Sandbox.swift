// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Serves a ``SandboxNetwork`` over HTTP on this machine: its AppView, its PDS and its PLC directory share
/// one address on 127.0.0.1.
///
/// ```swift
/// let sandbox = Sandbox()
/// let endpoints = try await sandbox.start()
/// // ask endpoints.appview for alice.test and bob.test
/// await sandbox.stop()
/// ```
///
/// Accounts have posted for two years before it is created, and continue to do so. The posts depend on the
/// seed and the day; each becomes visible at its own time.
///
/// A sandbox can be started once. It ends with ``stop()``, or when the last reference to it goes away.
public actor Sandbox {
  // Each is declared beside the part that follows it; callers use these names.

  public typealias Faults = SandboxFaults
  public typealias RateLimit = SandboxRateLimit
  public typealias Writing = SandboxWriting
  public typealias Dialect = SandboxDialect
  public typealias Paging = SandboxPaging
  public typealias Pace = SandboxPace

  /// How the network is served.
  public struct Configuration: Sendable {
    /// The port; with 0, the system chooses a free one.
    public var port: UInt16
    /// The delay of each answer.
    public var latency: Duration
    /// Measures the latency, and the pauses of slow answers.
    public var clock: any Clock<Duration>
    /// How `getFollows` and `getFollowers` cut their pages.
    public var paging: Paging
    /// The faults.
    public var faults: Faults
    /// The number of answers in a time window; nil for no limit.
    public var rateLimit: RateLimit?
    /// How changes are accepted.
    public var writing: Writing
    /// The number of days in the story: see ``Sandbox/passDay()``.
    public var days: Int
    /// The kind of story.
    public var pace: Pace
    /// The time in microseconds since 1970, for rate limits, tokens, commits and posts.
    public var wall: @Sendable () -> Int64

    /// Creates a configuration. The defaults are a free port, correct answers without limit or delay, and the
    /// system's time.
    public init(
      port: UInt16 = 0, latency: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
      paging: Paging = .refilled, faults: Faults = Faults(), rateLimit: RateLimit? = nil,
      writing: Writing = Writing(), days: Int = 0, pace: Pace = .steady,
      wall: (@Sendable () -> Int64)? = nil
    ) {
      self.port = port
      self.latency = latency
      self.clock = clock
      self.paging = paging
      self.faults = faults
      self.rateLimit = rateLimit
      self.writing = writing
      self.days = days
      self.pace = pace
      self.wall = wall ?? { WallClock.microsecondsSinceEpoch }
    }
  }

  /// The addresses of the servers; all have the same origin.
  public struct Endpoints: Sendable, Hashable, Codable {
    /// The AppView, for `KITH_APPVIEW`.
    public let appview: String
    /// The PDS, for `ATP_PDS_HOST`.
    public let pds: String
    /// The directory of `did:plc` documents, for `ATP_PLC_HOST`.
    public let plc: String
  }

  /// The network that is served.
  public nonisolated let network: SandboxNetwork
  private let configuration: Configuration
  private let live: LiveNetwork
  private let recorder = StatisticsRecorder()
  private var serving: Task<Void, Never>?

  /// Creates a sandbox that does not serve anything yet.
  public init(network: SandboxNetwork = SandboxNetwork(), configuration: Configuration = Configuration()) {
    self.network = network
    self.configuration = configuration
    live = LiveNetwork(
      network, configuration.writing, days: configuration.days, pace: configuration.pace,
      wall: configuration.wall)
  }

  deinit { serving?.cancel() }

  /// The statistics so far.
  public nonisolated var statistics: SandboxStatistics {
    var statistics = recorder.statistics
    (statistics.commits, statistics.reports) = live.tally
    return statistics
  }

  /// Resets the statistics, except for commits and reports.
  public nonisolated func resetStatistics() { recorder.reset() }

  /// Returns the current records of an account in a collection, by ascending key; empty for an unknown
  /// account.
  public nonisolated func records(
    of account: DID, in collection: NSID
  ) -> [(key: RecordKey, value: DataValue)] {
    live.records(of: account, in: collection)
  }

  /// Creates, replaces and removes records of an account in one commit, as its owner would with another app.
  ///
  /// Costs no points. The records are not validated.
  /// - Parameter values: the records by their keys; nil removes a record, if it exists.
  /// - Returns: false, with nothing changed, for an unknown account or if the sandbox is full.
  public nonisolated func setRecords(
    _ values: [RecordKey: DataValue?], in collection: NSID, of account: DID
  ) -> Bool {
    live.setRecords(values, in: collection, of: account)
  }

  /// Continues a session of an earlier sandbox, as if some hours had passed: the access token has expired,
  /// and the refresh token is valid for 90 days.
  ///
  /// - Returns: false for an unknown account.
  public nonisolated func continueSession(
    of account: DID, accessToken: String, refreshToken: String
  ) -> Bool {
    live.continueSession(of: account, accessToken: accessToken, refreshToken: refreshToken)
  }

  /// Closes all sessions of an account, as if its owner did so elsewhere.
  public nonisolated func endSessions(of account: DID) { live.endSessions(of: account) }

  /// Advances the story by a day: see ``Pace``. On each day, alice.test loses and gains followers.
  ///
  /// The same seed and the same days give the same events. Over HTTP, use `POST /day`.
  /// - Returns: the events; nil after the last day of the configuration.
  @discardableResult
  public nonisolated func passDay() -> [SandboxEvent]? { live.passDay() }

  /// Starts to listen, and returns as soon as requests are answered.
  ///
  /// - Throws: ``SandboxError`` if the port cannot be used or the sandbox was started before.
  public func start() async throws -> Endpoints {
    guard serving == nil else {
      throw SandboxError(.alreadyStarted, address: "127.0.0.1:\(configuration.port)")
    }
    let listener = try HTTPListener(port: configuration.port)
    let url = "http://127.0.0.1:\(listener.port)"
    let origin = SandboxOrigin(live, url: url, paging: configuration.paging)
    let interference = Interference(
      faults: configuration.faults, limit: configuration.rateLimit, wall: configuration.wall)
    serving = Task { [recorder, latency = configuration.latency, clock = configuration.clock] in
      await listener.serve(clock: clock) { request in
        recorder.began(origin.label(of: request))
        defer { recorder.ended() }
        if latency > .zero { try await clock.sleep(for: latency) }
        let outcome = interference.answer(request, by: origin.answer)
        recorder.count(outcome)
        return outcome.answer
      }
    }
    return Endpoints(appview: url, pds: url, plc: url)
  }

  /// Closes the port and all connections, and returns when that is done. Answers in flight are aborted. Does
  /// nothing if the sandbox is not running.
  public func stop() async {
    serving?.cancel()
    await serving?.value
  }
}
