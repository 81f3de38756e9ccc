// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithLocalMessages

/// Answers for a ``SandboxNetwork``: its AppView, its PDS and its PLC directory share one address.
///
/// It has no sockets; what listens passes each request on.
///
/// ```swift
/// let sandbox = Sandbox()
/// let listener = try HTTPListener(port: 0, limits: LocalHTTPLimits(bodyBytes: Sandbox.mostBodyBytes))
/// await listener.serve(sandbox.answers(at: listener.url))
/// ```
///
/// Accounts have posted for two years before it is created, and continue to do so. The posts depend on the
/// seed and the day; each becomes visible at its own time.
package final class Sandbox: Sendable {
  /// The bytes of a body that a listener has to accept: the network itself refuses uploads that are a little too large.
  package static let mostBodyBytes = PDS.mostFileBytes + (1 << 20)

  /// How the network is served.
  package struct Configuration: Sendable {
    /// The delay of each answer.
    package var latency: Duration
    /// Measures the latency.
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
    /// How its Jetstream behaves.
    package var stream: SandboxStream
    /// The time, for rate limits, tokens, commits and posts.
    package var wall: @Sendable () -> Instant

    /// Creates a configuration. The defaults are correct answers without limit or delay, and the system's time.
    package init(
      latency: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
      paging: SandboxPaging = .refilled, faults: SandboxFaults = SandboxFaults(),
      rateLimit: SandboxRateLimit? = nil,
      writing: SandboxWriting = SandboxWriting(), days: Int = 0, pace: SandboxPace = .steady,
      stream: SandboxStream = SandboxStream(), wall: (@Sendable () -> Instant)? = nil
    ) {
      self.latency = latency
      self.clock = clock
      self.paging = paging
      self.faults = faults
      self.rateLimit = rateLimit
      self.writing = writing
      self.days = days
      self.pace = pace
      self.stream = stream
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

    /// Creates the addresses of a sandbox that is served at a URL.
    package init(at url: String) { (appview, pds, plc) = (url, url, url) }
  }

  /// The network that is served.
  package let network: SandboxNetwork
  private let configuration: Configuration
  let live: LiveNetwork
  private let faults: FaultInjector
  private let recorder = StatisticsRecorder()

  /// Creates a sandbox whose time begins now.
  package init(network: SandboxNetwork = SandboxNetwork(), configuration: Configuration = Configuration()) {
    self.network = network
    self.configuration = configuration
    live = LiveNetwork(
      network, configuration.writing, days: configuration.days, pace: configuration.pace,
      stream: configuration.stream, wall: configuration.wall)
    faults = FaultInjector(
      faults: configuration.faults, limit: configuration.rateLimit, wall: configuration.wall)
  }

  /// The statistics so far.
  package var statistics: SandboxStatistics {
    var statistics = recorder.statistics
    (statistics.commits, statistics.reports) = live.tally
    return statistics
  }

  /// Resets the statistics, except for commits and reports.
  package func resetStatistics() { recorder.reset() }

  /// Returns the current records of an account in a collection, by ascending key; empty for an unknown
  /// account.
  package func records(
    of account: DID, in collection: NSID
  ) -> [(key: RecordKey, value: DataValue)] {
    live.records(of: account, in: collection)
  }

  /// Creates, replaces and removes records of an account in one commit, as its owner would with another app.
  ///
  /// Costs no points. The records are not validated.
  /// - Parameters:
  ///   - values: the records by their keys; nil removes a record, if it exists.
  ///   - isStreamed: whether subscribers learn of it.
  /// - Returns: false, with nothing changed, for an unknown account or if the sandbox is full.
  package func setRecords(
    _ values: [RecordKey: DataValue?], in collection: NSID, of account: DID, isStreamed: Bool = true
  ) -> Bool {
    live.setRecords(values, in: collection, of: account, isStreamed: isStreamed)
  }

  /// Continues a session of an earlier sandbox, as if some hours had passed: the access token has expired,
  /// and the refresh token is valid for 90 days.
  ///
  /// - Returns: false for an unknown account.
  package func continueSession(
    of account: DID, accessToken: String, refreshToken: String
  ) -> Bool {
    live.continueSession(of: account, accessToken: accessToken, refreshToken: refreshToken)
  }

  /// Closes all sessions of an account, as if its owner did so elsewhere.
  package func endSessions(of account: DID) { live.endSessions(of: account) }

  /// Advances the story by a day: see ``Pace``. On each day, alice.test loses and gains followers.
  ///
  /// The same seed and the same days give the same events. Over HTTP, use `POST /day`.
  /// - Returns: the events; nil after the last day of the configuration.
  @discardableResult
  package func passDay() -> [SandboxEvent]? { live.passDay() }

  /// Returns the function that answers a request at a URL, which stands in the documents of the accounts.
  package func answers(at url: String) -> @Sendable (LocalRequest) async throws -> LocalResponse {
    let origin = SandboxOrigin(live, url: url, paging: configuration.paging)
    return { [recorder, faults, configuration] request in
      recorder.began(origin.label(of: request))
      defer { recorder.ended() }
      if configuration.latency > .zero { try await configuration.clock.sleep(for: configuration.latency) }
      let outcome = faults.answer(request, by: origin.answer)
      recorder.count(outcome)
      return outcome.answer
    }
  }
}
