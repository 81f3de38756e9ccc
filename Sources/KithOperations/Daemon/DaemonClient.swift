// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import KithClient
package import KithCore
import KithHistory
import KithRelationships

/// Asks the daemon of the user about the accounts that it watches.
///
/// Whatever goes wrong means that the network is to be asked: no daemon, one of another version or another AppView, one that is
/// not up to date, or does not answer.
package final class DaemonClient: Sendable {
  /// Why the daemon is not asked.
  package enum Absence: Sendable, Hashable {
    /// There is none.
    case none
    /// It speaks another version of the language; this is the version of its program.
    case otherVersion(String)
    /// It asks another AppView.
    case otherAppView(String)
  }

  /// How long it may take to say how it is: that takes microseconds, and a process that was stopped says nothing.
  private static let statusTimeout = Duration.seconds(1)
  /// How long it may take to answer a question for which it may ask the AppView.
  private static let timeout = Duration.seconds(10)
  /// After it said nothing, it is not asked for so long.
  private static let silence = Duration.seconds(5)
  /// How long a workspace believes that an account is watched: it may live long, and the daemon come, go, or fall behind.
  private static let lifetime = Duration.seconds(5)
  private static let mostKnown = 1_000

  private let transport: any HTTPTransport
  private let appview: ServiceURL
  private let time: TimeSource
  private let silentUntil = PosixMutex(Duration.zero)
  /// What ``knows(_:)`` has found, and until when that counts.
  private let known = PosixMutex<[DID: (isKnown: Bool, until: Duration)]>([:])

  /// - Parameters:
  ///   - transport: leads to the daemon, whatever the host.
  ///   - appview: what has to be its AppView.
  package init(_ transport: any HTTPTransport, appview: ServiceURL, time: TimeSource) {
    (self.transport, self.appview, self.time) = (transport, appview, time)
  }

  /// What the daemon says about itself, and whether it watches an account.
  ///
  /// - Throws: `CancellationError`.
  package func status(about actor: DID? = nil) async throws -> Result<DaemonStatus, Absence> {
    let query = actor.map { "?actor=\($0)" } ?? ""
    guard let answer = try await send(.get, "/kith\(query)", within: Self.statusTimeout),
      let status = try? JSONCoding.decode(DaemonStatus.self, from: answer)
    else { return .failure(.none) }
    guard status.interface == DaemonInterface.version else {
      return .failure(.otherVersion(status.version))
    }
    guard status.appview == appview.description else { return .failure(.otherAppView(status.appview)) }
    return .success(status)
  }

  /// Whether the daemon watches an account, and is up to date: asked once for the batches of one question.
  ///
  /// - Throws: `CancellationError`.
  func knows(_ actor: DID) async throws -> Bool {
    if let found = known.withLock({ $0[actor] }), time.now < found.until { return found.isKnown }
    var isKnown = false
    if case .success(let status) = try await status(about: actor) {
      isKnown = status.isWatched && status.behindSince == nil
    }
    known.withLock { known in
      if known.count >= Self.mostKnown { known.removeAll() }
      known[actor] = (isKnown, time.now + Self.lifetime)
    }
    return isKnown
  }

  /// The relationships of a watched account with others, as far as the daemon can find them out.
  ///
  /// - Throws: `CancellationError`.
  func relationships(of actor: DID, with targets: [DID]) async throws -> [DID: RelationshipInfo] {
    guard let question = try? JSONCoding.encode(DaemonQuestion(actor: actor, targets: targets)),
      let answer = try await send(.post, "/1/relationships", question),
      let answers = try? JSONCoding.decode(DaemonAnswers.self, from: answer)
    else { return [:] }
    let wanted = Set(targets)
    let relationships = answers.relationships.filter { $0.actor == actor && wanted.contains($0.target) }
    return Dictionary(relationships.map { ($0.target, $0) }) { first, _ in first }
  }

  /// The counts of a watched account; nil if they are to be read elsewhere.
  ///
  /// - Throws: `CancellationError`.
  func counts(of actor: DID) async throws -> DaemonCounts? {
    guard let answer = try await send(.get, "/1/counts?actor=\(actor)") else { return nil }
    return try? JSONCoding.decode(DaemonCounts.self, from: answer)
  }

  /// The accounts on a listing of a watched account, the latest first; nil if they are to be read elsewhere.
  ///
  /// - Throws: `CancellationError`.
  func edges(on listing: HistoryListing) async throws -> [HistoryEdge]? {
    let path = "/1/accounts?actor=\(listing.actor)&side=\(listing.side.rawValue)"
    guard let answer = try await send(.get, path) else { return nil }
    var edges: [HistoryEdge] = []
    for line in answer.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard let account = parts.first.flatMap({ DID(String(decoding: $0, as: UTF8.self)) }) else {
        return nil
      }
      edges.append(
        HistoryEdge(
          account, rkey: parts.count == 2 ? RecordKey(String(decoding: parts[1], as: UTF8.self)) : nil))
    }
    return edges
  }

  /// The body of the answer; nil if there is none, or a refusal.
  private func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]? = nil, within total: Duration = timeout
  ) async throws -> [UInt8]? {
    if time.now < silentUntil.withLock(\.self) { return nil }
    var request = TransportRequest(
      head: HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path), body: body)
    request.limits.connect = Self.statusTimeout
    request.limits.total = total
    request.limits.responseBytes = DaemonInterface.mostBytes
    do {
      let response = try await transport.send(request)
      return response.head.status.code == 200 ? response.body : nil
    } catch {
      try Task.checkCancellation()
      silentUntil.withLock { $0 = time.now + Self.silence }
      return nil
    }
  }
}

extension DaemonClient.Absence: Error {}
