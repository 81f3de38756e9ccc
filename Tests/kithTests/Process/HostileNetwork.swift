// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport

/// A sandbox behind servers that forward everything except one method, whose response the test provides.
final class HostileNetwork: Sendable {
  private struct Attack {
    let method: String
    let body: [UInt8]
  }

  private let sandbox: SandboxRun
  private let servers: [HostileServer]
  private let attack: PosixMutex<Attack?>
  private let home: URL
  /// The servers and temporary folders.
  let environment: [String: String]

  init() async throws {
    let sandbox = try await SandboxRun(accounts: 20)
    let attack = PosixMutex<Attack?>(nil)
    let names = PosixMutex<[(String, String)]>([])
    var servers: [HostileServer] = []
    var environment: [String: String] = [:]
    for (variable, url) in sandbox.environment {
      guard let port = URL(string: url)?.port.flatMap(UInt16.init(exactly:)) else { continue }
      let server = try HostileServer { request, connection in
        if let attack = attack.withLock({ $0 }),
          request.prefix(while: { $0 != "\r\n" }).contains(attack.method)
        {
          return connection.answer(attack.body, fields: "Content-Type: application/json\r\n")
        }
        Self.pass(request, to: port, renaming: names.withLock { $0 }, connection)
      }
      servers.append(server)
      environment[variable] = server.url
      names.withLock { $0.append((url, server.url)) }
    }
    home = FileManager.default.temporaryDirectory.appending(path: "kith-home-\(UUID().uuidString)")
    environment["XDG_STATE_HOME"] = "\(home.path())/state"
    environment["XDG_DATA_HOME"] = "\(home.path())/data"
    (self.sandbox, self.servers, self.attack, self.environment) = (sandbox, servers, attack, environment)
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  /// Forwards a request, and replaces the URLs of the sandbox in the response.
  private static func pass(
    _ request: String, to port: UInt16, renaming names: [(String, String)], _ client: HostileConnection
  ) {
    guard let server = HostileConnection(port: port) else { return }
    defer { server.close() }
    server.write(request.replacing("\r\n", with: "\r\nConnection: close\r\n", maxReplacements: 1))
    let answer = String(decoding: server.readAll(), as: UTF8.self)
    guard let end = answer.firstRange(of: "\r\n\r\n") else { return }
    var body = String(answer[end.upperBound...])
    for (sandbox, ours) in names { body = body.replacing(sandbox, with: ours) }
    let lines = answer[..<end.lowerBound].split(separator: "\r\n")
    let status = lines.first?.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
    let fields = lines.dropFirst().filter {
      let name = $0.lowercased()
      return !name.hasPrefix("content-length:") && !name.hasPrefix("connection:")
    }
    client.answer(body, status: status, fields: fields.map { "\($0)\r\n" }.joined())
  }

  /// Signs in as Alice.
  func signIn() async throws {
    let login = try await KithRun.inside(
      ["login", "alice.test", "--password-stdin"], environment: environment, input: "pw-alice\n")
    guard login.status == 0 else { throw CocoaError(.userCancelled, userInfo: ["talk": login.talk]) }
  }

  /// Runs a command line with a hostile response to one method; words are separated by spaces.
  func kith(_ line: String, under method: String, answering body: [UInt8]) async throws -> MeasuredRun {
    attack.withLock { $0 = Attack(method: method, body: body) }
    defer { attack.withLock { $0 = nil } }
    return try await MeasuredRun(
      line.split(separator: " ").map(String.init),
      environment: environment.merging(["ATP_AUTH_PASSWORD": "pw-alice"]) { own, _ in own })
  }
}
