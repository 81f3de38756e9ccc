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
/// Accounts have posted for two years before it is made, and go on to: which posts there are depends on the seed and
/// the day, and each is there from its own moment on.
///
/// A sandbox is started once. It ends with ``stop()``, or when the last reference to it goes away.
public actor Sandbox {
  /// How the network is served.
  public struct Configuration: Sendable {
    /// The port; 0 lets the system choose a free one.
    public var port: UInt16
    /// How long each answer is held back.
    public var latency: Duration
    /// Measures the latency, and the pauses of slow answers.
    public var clock: any Clock<Duration>
    /// How `getFollows` and `getFollowers` cut their pages.
    public var paging: Paging
    /// What goes wrong.
    public var faults: Faults
    /// How many answers there are in a window of time; nil for as many as are asked for.
    public var rateLimit: RateLimit?
    /// How changes are taken.
    public var writing: Writing
    /// How many days of a story there are: see ``Sandbox/passDay()``.
    public var days: Int
    /// Which story it is.
    public var pace: Pace
    /// Microseconds since 1970, for the windows of limits, the life of tokens, the names of commits and the times of
    /// posts.
    public var wall: @Sendable () -> Int64

    /// The defaults are a free port and answers that are right, unlimited and without delay; the time of day is
    /// the system's.
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

  /// What happens on the days of a story.
  public enum Pace: Sendable, Hashable {
    /// Each day some followers of alice.test and bob.test leave and as many come, and one is lost for another reason:
    /// a few days show every reason that there is.
    case steady
    /// The followers of alice.test grow as those of a real account do, over up to two years: a trend with a weekly
    /// rhythm, two jumps, a wave of blocks, and steady losses. The clock should advance by a day with each.
    case growth
  }

  /// How a list is cut into pages after accounts were dropped from it (Q11). All pages together hold the
  /// same accounts either way, and only the last one has no cursor.
  public enum Paging: Sendable, Hashable {
    /// As servers have done since August 2026: a page is filled up again, as far as ten reads reach.
    case refilled
    /// As servers did before: pages are short, and every third one is empty.
    case short
  }

  /// Where the servers of the network are; all at the same origin.
  public struct Endpoints: Sendable, Hashable, Codable {
    /// The AppView, for `KITH_APPVIEW`.
    public let appview: String
    /// The PDS, for `ATP_PDS_HOST`.
    public let pds: String
    /// The directory of `did:plc` documents, for `ATP_PLC_HOST`.
    public let plc: String
  }

  /// What is served.
  public nonisolated let network: SandboxNetwork
  private let configuration: Configuration
  private let live: LiveNetwork
  private let recorder = StatisticsRecorder()
  private var serving: Task<Void, Never>?

  /// Makes a sandbox that serves nothing yet.
  public init(network: SandboxNetwork = SandboxNetwork(), configuration: Configuration = Configuration()) {
    self.network = network
    self.configuration = configuration
    live = LiveNetwork(
      network, configuration.writing, days: configuration.days, pace: configuration.pace,
      wall: configuration.wall)
  }

  deinit { serving?.cancel() }

  /// What was asked so far.
  public nonisolated var statistics: SandboxStatistics {
    var statistics = recorder.statistics
    (statistics.commits, statistics.reports) = live.tally
    return statistics
  }

  /// Counts from zero again; commits and reports stay.
  public nonisolated func resetStatistics() { recorder.reset() }

  /// The records that an account has now in a collection, by ascending key; none for an unknown account.
  public nonisolated func records(
    of account: DID, in collection: NSID
  ) -> [(key: RecordKey, value: DataValue)] {
    live.records(of: account, in: collection)
  }

  /// Makes, replaces and removes records of an account in one commit, as its owner does with another app.
  ///
  /// Costs no points. What the records say is not validated.
  /// - Parameter values: the records by their keys; nil for one that is removed, if it is there.
  /// - Returns: false, with nothing changed, for an unknown account or where the sandbox keeps no more records.
  public nonisolated func setRecords(
    _ values: [RecordKey: DataValue?], in collection: NSID, of account: DID
  ) -> Bool {
    live.setRecords(values, in: collection, of: account)
  }

  /// Continues a session that an earlier run of a sandbox began, as its owner finds it after some hours: the access
  /// token has expired, and the refresh token is good for 90 days.
  ///
  /// - Returns: false for an unknown account.
  public nonisolated func continueSession(
    of account: DID, accessToken: String, refreshToken: String
  ) -> Bool {
    live.continueSession(of: account, accessToken: accessToken, refreshToken: refreshToken)
  }

  /// Ends all sessions of an account, as when its owner does so elsewhere.
  public nonisolated func endSessions(of account: DID) { live.endSessions(of: account) }

  /// Lets a day of the story pass: see ``Pace``. On each, followers of alice.test are lost and others come.
  ///
  /// The same seed and the same days bring the same. Over HTTP it is `POST /day`.
  /// - Returns: what happened; nil where the days of the configuration are over.
  @discardableResult
  public nonisolated func passDay() -> [SandboxEvent]? { live.passDay() }

  /// Listens, and returns as soon as questions are answered.
  ///
  /// - Throws: ``SandboxError`` when the port cannot be used or the sandbox was started before.
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

  /// Closes the port and every connection, and returns when that is done. Answers that are under way are
  /// broken off. Does nothing where nothing is served.
  public func stop() async {
    serving?.cancel()
    await serving?.value
  }
}
