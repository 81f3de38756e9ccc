// SPDX-License-Identifier: Apache-2.0

package import KithCore

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
package actor Sandbox {
  /// How the network is served.
  package struct Configuration: Sendable {
    /// The port; with 0, the system chooses a free one.
    package var port: UInt16
    /// The delay of each answer.
    package var latency: Duration
    /// Measures the latency, and the pauses of slow answers.
    package var clock: any Clock<Duration>
    /// How `getFollows` and `getFollowers` cut their pages.
    package var paging: SandboxPaging
    /// The faults.
    package var faults: SandboxFaults
    /// The number of answers in a time window; nil for no limit.
    package var rateLimit: SandboxRateLimit?
    /// How changes are accepted.
    package var writing: SandboxWriting
    /// The number of days in the story: see ``Sandbox/passDay()``.
    package var days: Int
    /// The kind of story.
    package var pace: SandboxPace
    /// The time, for rate limits, tokens, commits and posts.
    package var wall: @Sendable () -> Instant

    /// Creates a configuration. The defaults are a free port, correct answers without limit or delay, and the
    /// system's time.
    package init(
      port: UInt16 = 0, latency: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
      paging: SandboxPaging = .refilled, faults: SandboxFaults = SandboxFaults(),
      rateLimit: SandboxRateLimit? = nil,
      writing: SandboxWriting = SandboxWriting(), days: Int = 0, pace: SandboxPace = .steady,
      wall: (@Sendable () -> Instant)? = nil
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
      self.wall = wall ?? { WallClock.now }
    }
  }

  /// The addresses of the servers; all have the same origin.
  package struct Endpoints: Sendable, Hashable, Codable {
    /// The AppView, for `KITH_APPVIEW`.
    package let appview: String
    /// The PDS, for `ATP_PDS_HOST`.
    package let pds: String
    /// The directory of `did:plc` documents, for `ATP_PLC_HOST`.
    package let plc: String
  }

  /// The network that is served.
  package nonisolated let network: SandboxNetwork
  private let configuration: Configuration
  private let live: LiveNetwork
  private let recorder = StatisticsRecorder()
  private var serving: Task<Void, Never>?

  /// Creates a sandbox that does not serve anything yet.
  package init(network: SandboxNetwork = SandboxNetwork(), configuration: Configuration = Configuration()) {
    self.network = network
    self.configuration = configuration
    live = LiveNetwork(
      network, configuration.writing, days: configuration.days, pace: configuration.pace,
      wall: configuration.wall)
  }

  deinit { serving?.cancel() }

  /// The statistics so far.
  package nonisolated var statistics: SandboxStatistics {
    var statistics = recorder.statistics
    (statistics.commits, statistics.reports) = live.tally
    return statistics
  }

  /// Resets the statistics, except for commits and reports.
  package nonisolated func resetStatistics() { recorder.reset() }

  /// Returns the current records of an account in a collection, by ascending key; empty for an unknown
  /// account.
  package nonisolated func records(
    of account: DID, in collection: NSID
  ) -> [(key: RecordKey, value: DataValue)] {
    live.records(of: account, in: collection)
  }

  /// Creates, replaces and removes records of an account in one commit, as its owner would with another app.
  ///
  /// Costs no points. The records are not validated.
  /// - Parameter values: the records by their keys; nil removes a record, if it exists.
  /// - Returns: false, with nothing changed, for an unknown account or if the sandbox is full.
  package nonisolated func setRecords(
    _ values: [RecordKey: DataValue?], in collection: NSID, of account: DID
  ) -> Bool {
    live.setRecords(values, in: collection, of: account)
  }

  /// Continues a session of an earlier sandbox, as if some hours had passed: the access token has expired,
  /// and the refresh token is valid for 90 days.
  ///
  /// - Returns: false for an unknown account.
  package nonisolated func continueSession(
    of account: DID, accessToken: String, refreshToken: String
  ) -> Bool {
    live.continueSession(of: account, accessToken: accessToken, refreshToken: refreshToken)
  }

  /// Closes all sessions of an account, as if its owner did so elsewhere.
  package nonisolated func endSessions(of account: DID) { live.endSessions(of: account) }

  /// Advances the story by a day: see ``Pace``. On each day, alice.test loses and gains followers.
  ///
  /// The same seed and the same days give the same events. Over HTTP, use `POST /day`.
  /// - Returns: the events; nil after the last day of the configuration.
  @discardableResult
  package nonisolated func passDay() -> [SandboxEvent]? { live.passDay() }

  /// Starts to listen, and returns as soon as requests are answered.
  ///
  /// - Throws: ``SandboxError`` if the port cannot be used or the sandbox was started before.
  package func start() async throws -> Endpoints {
    guard serving == nil else {
      throw SandboxError(.alreadyStarted, address: "127.0.0.1:\(configuration.port)")
    }
    let listener = try HTTPListener(port: configuration.port)
    let url = "http://127.0.0.1:\(listener.port)"
    let origin = SandboxOrigin(live, url: url, paging: configuration.paging)
    let interference = FaultInjector(
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
  package func stop() async {
    serving?.cancel()
    await serving?.value
  }
}
