// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// A network that fails partly or completely while thousands of accounts are checked.
@Suite struct FailingNetworkTests {
  private static let network = SandboxNetwork(configuration: .init(accounts: 3_100))
  /// Active, hidden and unknown accounts.
  private static let targets =
    network.accounts.suffix(2_950).map(\.did.description) + (0..<50).map { Accounts.did($0).description }
  private static let input = targets.joined(separator: "\n") + "\n"
  /// Faults without timeouts; stalled servers are tested separately, with shorter limits.
  private static let swift = Set(SandboxFaults.Kind.allCases).subtracting([.stall])

  private func run(
    _ faults: SandboxFaults = SandboxFaults()
  ) async throws -> (KithRun, SandboxStatistics) {
    let sandbox = Sandbox(network: Self.network, configuration: .init(faults: faults))
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    let run = try await KithRun(
      ["check", "alice.test", "-", "--format", "ndjson"], environment: Self.environment(endpoints),
      input: Self.input)
    await server.stop()
    return (run, sandbox.statistics)
  }

  private static func environment(_ endpoints: Sandbox.Endpoints) -> [String: String] {
    ["KITH_APPVIEW": endpoints.appview, "ATP_PLC_HOST": endpoints.plc]
  }

  /// The output without timestamps.
  private func undated(_ output: String) -> [Substring] {
    output.replacing(/"checkedAt":"[^"]*"/, with: "").split(separator: "\n")
  }

  @Test func everyRowIsRightIfAThirdOfTheResponsesFail() async throws {
    let (right, _) = try await run()
    #expect(right.status == 0)
    #expect(undated(right.output).count == 3_000)
    let (run, statistics) = try await run(SandboxFaults(rate: 0.3, kinds: Self.swift))
    #expect(run.status == 0, "\(run.talk.prefix(500))")
    #expect(statistics.faults.count == Self.swift.count)
    #expect(undated(run.output) == undated(right.output))
  }

  private struct Row: Decodable {
    let target: String?
    let state: String
    let following: String?
    let source: String?
    let error: String?
  }

  @Test(arguments: [["500", "502", "503"], ["reset"], ["truncate"]])
  func aDeadNetworkMakesEveryRowAnError(names: [String]) async throws {
    let kinds = Set(names.compactMap(SandboxFaults.Kind.init))
    let sandbox = Sandbox(
      network: Self.network, configuration: .init(faults: SandboxFaults(rate: 1, kinds: kinds)))
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    let actor = try #require(Self.network.accounts.first).did.description
    let run = try await KithRun(
      ["check", actor, "-", "--format", "ndjson"], environment: Self.environment(endpoints),
      input: Self.input)
    await server.stop()
    #expect(run.status == 69)
    let rows = try run.rows(Row.self)
    #expect(rows.map(\.target) == Self.targets)
    #expect(rows.allSatisfy { $0.state == "error" && $0.error != nil && $0.following == nil })
    // The dead host costs one retry budget, not one or more calls for each of a hundred batches.
    #expect(sandbox.statistics.total < Self.targets.count / 30)
  }

  @Test func waitsForAServerThatRecovers() async throws {
    let (right, _) = try await run()
    let first = Sandbox(network: Self.network, configuration: .init(latency: .milliseconds(5)))
    let server = try ServedSandbox(first)
    let endpoints = server.endpoints
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    // The server comes back in real time, so the client waits in real time for it.
    let variables = ["KITH_MESSAGES": "json", "KITH_TEST_SPEED": "1"]
    let kith = try RunningKith(
      ["check", "alice.test", "-", "--format", "ndjson", "-v"],
      environment: Self.environment(endpoints).merging(variables) { _, new in new },
      streams: [input.far, output.far, talk.far])
    for stream in [input, output, talk] { close(stream.far) }
    async let written: Void = {
      await input.write(Self.input)
      close(input.near)
    }()
    let start = await output.read()
    await server.stop()
    async let rest = output.readAll()
    // It stays down until the client has noticed.
    var said = ""
    while !said.contains("retry") {
      let piece = await talk.read()
      guard !piece.isEmpty else { break }
      said += piece
    }
    let second = Sandbox(network: Self.network)
    let recovered = try ServedSandbox(second, port: server.port)
    said += await talk.readAll()
    let text = start + (await rest)
    await written
    #expect(await kith.status() == 0, "\(said.suffix(500))")
    #expect(undated(text) == undated(right.output))
    #expect(first.statistics.total > 0 && second.statistics.total > 0)
    await recovered.stop()
    for stream in [output, talk] { close(stream.near) }
  }

  @Test func anInterruptDoesNotWaitForASilentServer() async throws {
    // The first batch is answered; all others stall.
    let server = try HostileServer { head, connection in
      guard HostileRun.targets.allSatisfy(head.contains) else {
        _ = connection.readRequest()
        return
      }
      connection.answer(HostileRun.body())
    }
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["check", HostileRun.actor, "-", "--format", "ndjson", "--appview", server.url, "-v"],
      environment: [:], streams: [input.far, output.far, talk.far])
    for stream in [input, output, talk] { close(stream.far) }
    await input.write((HostileRun.targets + Self.targets.prefix(300)).joined(separator: "\n") + "\n")
    var text = await output.read()
    kith.interrupt()
    text += await output.readAll()
    #expect(await kith.status() == 130)
    #expect(text.hasSuffix("}\n"))
    let rows = try text.split(separator: "\n").map {
      try JSONDecoder().decode(Row.self, from: Data($0.utf8))
    }
    #expect(rows.map(\.following) == HostileRun.targets.indices.map { HostileRun.edge($0) })
    // No timeout had expired before: the signal ended it.
    #expect(await !talk.readAll().contains("retry"))
    for stream in [input, output, talk] { close(stream.near) }
    withExtendedLifetime(server) {}
  }
}
