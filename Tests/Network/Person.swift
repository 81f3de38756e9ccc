// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

/// A person at a shell: folders for sessions and jobs, which outlive the runs of a test.
struct Person: Sendable {
  let network: LiveNetwork
  let folder = FileManager.default.temporaryDirectory.appending(path: "kith-person-\(UUID().uuidString)")

  /// Creates a person who has just signed in.
  ///
  /// - Parameters:
  ///   - name: the account's handle is `NAME.test`.
  ///   - pds: where to sign in instead of the server in the DID document.
  static func signedIn(
    as name: String, to network: LiveNetwork, at pds: ServiceURL? = nil
  ) async throws -> Person {
    let person = Person(network: network)
    let account = try network.account(name)
    let server = pds.map { " --pds \($0)" } ?? ""
    let login = try await person.kith(
      "login \(account.handle) --password-stdin\(server)", input: "\(account.password)\n")
    try #require(login.status == 0, "\(login.talk)")
    return person
  }

  /// The environment of the runs.
  var environment: [String: String] {
    [
      "XDG_STATE_HOME": folder.path() + "/state", "XDG_DATA_HOME": folder.path() + "/data",
      "XDG_CACHE_HOME": folder.path() + "/cache",
      "KITH_APPVIEW": "\(network.tls.appview.url)", "ATP_PLC_HOST": "\(network.tls.plc.url)",
      "ATP_PDS_HOST": "\(network.tls.pds.url)", "KITH_RESOLVER": "\(network.tls.pds.url)",
      "SSL_CERT_FILE": network.tls.ca,
    ]
  }

  /// Runs one command line; words are separated by spaces.
  ///
  /// - Parameter contact: identifies the run in the servers' logs.
  func kith(
    _ line: String, password: String? = nil, input: String = "", contact: String? = nil,
    meddling meddle: (@Sendable (KithRun.Victim) async throws -> Void)? = nil
  ) async throws -> KithRun {
    var environment = environment
    environment["ATP_AUTH_PASSWORD"] = password
    environment["KITH_CONTACT"] = contact
    return try await KithRun(
      line.split(separator: " ").map(String.init), environment: environment, input: input, meddling: meddle)
  }

  func end() { try? FileManager.default.removeItem(at: folder) }
}

extension Person {
  /// A row of `kith jobs`.
  struct JobLine: Decodable {
    let job: Int
    let verb: String
    let state: String
    let done: Int
    let inDoubt: Int
    let pending: Int
  }

  /// What `kith check` returns about an account's edges.
  struct Edges: Decodable {
    let following: String?
    let followedBy: String?
    let blocking: String?
    let blockingByList: String?
  }

  /// Runs `kith check` until the AppView has indexed what is expected, for up to a minute.
  func edges(
    from actor: DID, to target: DID, once isThere: (Edges) -> Bool
  ) async throws -> Edges {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while true {
      let run = try await kith("check \(actor) \(target)")
      let edges = try #require(try run.rows(Edges.self).first, "\(run.talk)")
      if isThere(edges) || clock.now > deadline { return edges }
    }
  }
}
