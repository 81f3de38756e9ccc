// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// A sandbox for the duration of a test.
///
/// It has a port for processes. What runs in the test process calls it without sockets.
struct SandboxRun {
  let sandbox: Sandbox
  private let server: ServedSandbox
  let environment: [String: String]
  /// Whether also the test process uses the port, because connections break.
  private let needsSockets: Bool

  /// Starts a small, deterministic sandbox.
  init(
    accounts: Int = 200, paging: SandboxPaging = .refilled, latency: Duration = .zero,
    faults: SandboxFaults = SandboxFaults(), writing: SandboxWriting = SandboxWriting(),
    wall: (@Sendable () -> Instant)? = nil
  ) async throws {
    sandbox = Sandbox(
      network: .shared(accounts: accounts),
      configuration: .init(
        latency: latency, paging: paging, faults: faults, writing: writing, wall: wall))
    server = try ServedSandbox(sandbox)
    let whole: Set<SandboxFaults.Kind> = [.internalServerError, .badGateway, .serviceUnavailable, .html]
    needsSockets = faults.rate > 0 && !faults.kinds.isSubset(of: whole)
    let endpoints = server.endpoints
    environment = [
      "KITH_APPVIEW": endpoints.appview, "ATP_PDS_HOST": endpoints.pds, "ATP_PLC_HOST": endpoints.plc,
      "KITH_RESOLVER": endpoints.pds, "KITH_JETSTREAM": endpoints.appview,
    ]
  }

  /// Runs one command line against it, in the test process; words are separated by spaces.
  func kith(
    _ line: String, environment more: [String: String] = [:], input: String = ""
  ) async throws -> KithRun {
    try await kith(line.split(separator: " ").map(String.init), environment: more, input: input)
  }

  /// Runs it with arguments that may contain spaces.
  func kith(
    _ arguments: [String], environment more: [String: String] = [:], input: String = ""
  ) async throws -> KithRun {
    let url = server.endpoints.appview
    let answers = needsSockets ? nil : sandbox.answers(at: url)
    return try await .inside(
      arguments, environment: environment.merging(more) { _, new in new }, input: input
    ) { others in
      if let answers { InProcessServer(at: url, answers, else: others) } else { others }
    }
  }

  /// Runs one command line as a process of its own; words are separated by spaces.
  func process(
    _ line: String, environment more: [String: String] = [:], input: String = ""
  ) async throws -> KithRun {
    try await process(line.split(separator: " ").map(String.init), environment: more, input: input)
  }

  /// Runs it with arguments that may contain spaces.
  func process(
    _ arguments: [String], environment more: [String: String] = [:], input: String = ""
  ) async throws -> KithRun {
    try await KithRun(arguments, environment: environment.merging(more) { _, new in new }, input: input)
  }
}

extension KithRun {
  /// The number of calls of a method, from the output of a run with `-v`; nil if not printed.
  func calls(of method: String) throws -> Int64? {
    try messages.first { $0.code == "methodCost" && $0.text("method") == method }?.number("calls")
  }

  /// Whether a method was called; needs a run with `-v`.
  func hasCalled(_ method: String) throws -> Bool {
    _ = try #require(try message("totalCost"), "the run says nothing of its cost")
    return try calls(of: method) != nil
  }
}
