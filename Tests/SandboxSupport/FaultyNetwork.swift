// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
package import KithClient
package import KithCore
import KithLocalMessages
package import TestSupport

@testable package import KithSandbox

/// Faults between `kith` and its servers.
package enum Fault: String, CaseIterable {
  case none = "no fault"
  // Temporary faults: each request fails once, or for a time that the server names.
  case serverErrorOnce = "500 once"
  case unavailable = "503, Retry-After 30 s"
  case limited = "429, reset in 60 s"
  case limitedOnce = "429 without time"
  case resetBefore = "reset before"
  case resetAfter = "reset after"
  case slow = "20 s late"
  case garbage = "garbage once"
  // Permanent faults.
  case serverError = "500"
  case proxied = "502 proxied"
  case appViewDown = "AppView down"
  case plcDown = "PLC down"
  case pdsDown = "PDS down"
  case clockAhead = "clock +1 day"
  case clockBehind = "clock −1 day"
  // No faults: servers with different behaviour.
  case lenient = "lenient PDS"
  case arroba = "arroba PDS"
  // An AppView that has indexed nothing since the sign-in.
  case lagging = "AppView lags"
  case laggingWithoutPDS = "AppView lags, PDS down"
  // Not in the table: faults that leave a job with failed items, or open.
  case writesRefused, writesFail
  // Not in the table: the author blocks the viewer.
  case feedsHidden

  package static let passing: [Fault] = [
    .none, .serverErrorOnce, .unavailable, .limited, .limitedOnce, .resetBefore, .resetAfter, .slow, .garbage,
  ]
  package static let lasting: [Fault] = [
    .none, .serverError, .proxied, .appViewDown, .plcDown, .pdsDown, .clockAhead, .clockBehind,
  ]
  package static let manners: [Fault] = [.none, .lenient, .arroba]

  package static let lags: [Fault] = [.none, .lagging, .laggingWithoutPDS]

  /// The lag of the AppView.
  package var lag: Duration { Self.lags.dropFirst().contains(self) ? .seconds(1_000_000) : .zero }

  /// The manners of the PDS.
  package var dialect: SandboxDialect {
    switch self {
    case .lenient: .lenient
    case .arroba: .arroba
    default: .reference
    }
  }
}

/// Sends calls directly to a sandbox, without sockets, and applies a fault to the responses.
package final class FaultyNetwork: HTTPTransport {
  package let capabilities: TransportCapabilities = [.connectedAddress, .headLimit, .webSocket]
  package static let appview = "https://appview.test"
  package static let pds = "https://pds.test"
  package static let jetstream = "https://jetstream.test"
  package static let plc = "https://plc.test"
  /// Resolves handles, as DNS would; never fails.
  package static let resolver = "https://resolver.test"

  private struct State {
    var fault = Fault.none
    var requests = 0
    var seen: Set<String> = []
    /// The end of the time in which a server refuses all requests.
    var closedUntil: Duration?
    var wallShift = Duration.zero
  }

  /// The fate of a request.
  private enum Fate {
    case answered
    /// Executed, but the response is lost.
    case lost
    case refused(TransportResponse)
    case failed(TransportError.Code)
    case late(Duration)
  }

  let live: LiveNetwork
  package let clock: ManualClock
  private let origin: SandboxOrigin
  private let state = PosixMutex(State())
  private let isDated = PosixMutex(false)

  /// - Parameters:
  ///   - days: the number of days of simulated history.
  ///   - unindexed: accounts that the AppView does not know.
  ///   - clock: the clock of servers and clients.
  package init(
    _ dialect: SandboxDialect = .reference, accounts: Int = 200, days: Int = 0, pace: SandboxPace = .steady,
    lag: Duration = .zero, unindexed: Set<Handle> = [], paging: SandboxPaging = .refilled,
    clock: ManualClock = ManualClock(.skipping)
  ) {
    self.clock = clock
    let time = clock.timeSource()
    live = LiveNetwork(
      .shared(accounts: accounts),
      SandboxWriting(dialect: dialect, lag: lag, unindexed: unindexed),
      days: days, pace: pace, wall: { time.instant })
    origin = SandboxOrigin(live, url: Self.pds, paging: paging)
  }

  /// The time of the machine that `kith` runs on.
  package var time: TimeSource {
    let right = clock.timeSource()
    return TimeSource(clock) {
      right.instant + self.state.withLock(\.wallShift)
    }
  }

  /// Makes the machine's clock wrong from now on.
  package func setClock(wrongBy shift: Duration) { state.withLock { $0.wallShift = shift } }

  /// Adds the date of the servers' clock to all answers from now on.
  package func date() { isDated.withLock { $0 = true } }

  private var dateText: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let seconds = clock.timeSource().instant.secondsSinceEpoch
    return formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
  }

  /// The accounts of the network, as generated.
  package var accounts: SandboxNetwork { live.network }

  /// The Jetstream of the network.
  package var stream: EventStream { live.stream }

  /// The records of an account in a collection.
  package func records(of account: DID, in collection: NSID) -> [(key: RecordKey, value: DataValue)] {
    live.records(of: account, in: collection)
  }

  /// Creates, replaces and removes records of an account, as its owner would with another app.
  ///
  /// - Returns: false for an unknown account.
  package func setRecords(
    _ values: [RecordKey: DataValue?], in collection: NSID, of account: DID
  ) -> Bool {
    live.setRecords(values, in: collection, of: account)
  }

  /// The requests since the last fault began.
  package var requests: Int { state.withLock(\.requests) }

  /// Resets the state and applies a fault from now on.
  package func begin(_ fault: Fault) {
    state.withLock { $0 = State(fault: fault) }
  }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    switch fate(of: request) {
    case .answered: return answer(request)
    case .lost:
      _ = answer(request)
      throw failure(.connectionLost, request)
    case .refused(let refusal): return refusal
    case .failed(let code): throw failure(code, request)
    case .late(let span):
      guard span < request.limits.total else {
        try await clock.sleep(for: request.limits.total)
        throw failure(.timedOut, request)
      }
      try await clock.sleep(for: span)
      return answer(request)
    }
  }

  package func openWebSocket(
    _ request: TransportRequest, limits: WebSocketLimits
  ) async throws -> WebSocketAnswer {
    switch fate(of: request) {
    case .answered:
      guard let answer = WebSocketAnswer(origin.answer(LocalRequest(request)), limits: limits) else {
        throw failure(.connectionLost, request)
      }
      return answer
    case .refused(let refusal): return .refused(refusal)
    case .failed(let code): throw failure(code, request)
    case .lost, .late: throw failure(.timedOut, request)
    }
  }

  private func failure(_ code: TransportError.Code, _ request: TransportRequest) -> TransportError {
    TransportError(code, host: request.head.authority ?? "")
  }

  private func fate(of request: TransportRequest) -> Fate {
    let host = "https://\(request.head.authority ?? "")"
    let isProxied = request.head.headerFields.contains { $0.name.canonicalName == "atproto-proxy" }
    let identity = "\(request.head.method) \(host)\(request.head.path ?? "") \(request.body ?? [])"
    let isWrite = request.head.path?.hasSuffix("applyWrites") == true
    let isFeed = request.head.path?.contains("getAuthorFeed") == true
    let now = clock.now.offset
    return state.withLock { state in
      state.requests += 1
      let isFirst = state.seen.insert(identity).inserted
      switch state.fault {
      case .none, .lenient, .arroba: return .answered
      case .serverErrorOnce: return isFirst ? .refused(Self.internalError) : .answered
      case .unavailable:
        return Self.turnedAway(&state.closedUntil, for: .seconds(30), at: now) { _ in
          TransportResponse(
            status: 503, "unavailable\n", type: "text/plain", fields: .init(named: ["Retry-After": "30"]))
        }
      case .limited:
        return Self.turnedAway(&state.closedUntil, for: .seconds(60), at: now) { end in
          let reset =
            self.clock.timeSource().instant.secondsSinceEpoch + (end - now).components.seconds
          return .xrpcError(
            429, "RateLimitExceeded", "Rate Limit Exceeded",
            fields: .init(named: [
              "RateLimit-Limit": "3000", "RateLimit-Remaining": "0", "RateLimit-Reset": "\(reset)",
              "RateLimit-Policy": "3000;w=300",
            ]))
        }
      case .limitedOnce:
        return isFirst ? .refused(.xrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded")) : .answered
      case .resetBefore: return isFirst ? .failed(.connectionLost) : .answered
      case .resetAfter: return isFirst ? .lost : .answered
      case .slow: return .late(.seconds(20))
      case .garbage: return isFirst ? .refused(TransportResponse("\u{FFFD}{\"nothing")) : .answered
      case .serverError: return .refused(Self.internalError)
      case .proxied: return isProxied ? .refused(Self.upstreamFailure) : .answered
      case .appViewDown:
        if host == Self.appview { return .failed(.cannotConnect) }
        return isProxied ? .refused(Self.upstreamFailure) : .answered
      case .plcDown: return host == Self.plc ? .failed(.cannotConnect) : .answered
      case .lagging: return .answered
      case .pdsDown, .laggingWithoutPDS: return host == Self.pds ? .failed(.cannotConnect) : .answered
      case .clockAhead:
        state.wallShift = .seconds(86_400)
        return .answered
      case .clockBehind:
        state.wallShift = .seconds(-86_400)
        return .answered
      case .writesRefused: return isWrite ? .refused(.xrpcError(400, "InvalidRequest", "no")) : .answered
      case .feedsHidden: return isFeed ? .refused(.xrpcError(400, "BlockedByActor", "blocked")) : .answered
      case .writesFail: return isWrite ? .refused(Self.internalError) : .answered
      }
    }
  }

  /// Refuses all requests for a time that begins with the first one.
  private static func turnedAway(
    _ closedUntil: inout Duration?, for span: Duration, at now: Duration,
    by refusal: (_ end: Duration) -> TransportResponse
  ) -> Fate {
    let end = closedUntil ?? now + span
    closedUntil = end
    return now < end ? .refused(refusal(end)) : .answered
  }

  private static let internalError = TransportResponse.xrpcError(
    500, "InternalServerError", "Internal Server Error")

  private static let upstreamFailure = TransportResponse.xrpcError(502, "UpstreamFailure", "Upstream Failure")

  private func answer(_ request: TransportRequest) -> TransportResponse {
    var answer = TransportResponse(origin.answer(LocalRequest(request)))
    if isDated.withLock(\.self) { answer.head.headerFields[.date] = dateText }
    return answer
  }
}
