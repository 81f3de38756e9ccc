// SPDX-License-Identifier: Apache-2.0

import ATProtoSandbox
import TestSupport

/// A sandbox for as long as a test asks `kith` about it.
struct SandboxRun {
  let sandbox: Sandbox
  let environment: [String: String]

  /// Starts one, small and always the same.
  init(
    accounts: Int = 200, paging: Sandbox.Paging = .refilled, latency: Duration = .zero,
    faults: Sandbox.Faults = Sandbox.Faults(), writing: Sandbox.Writing = Sandbox.Writing()
  ) async throws {
    sandbox = Sandbox(
      network: SandboxNetwork(configuration: .init(accounts: accounts)),
      configuration: .init(latency: latency, paging: paging, faults: faults, writing: writing))
    let endpoints = try await sandbox.start()
    environment = [
      "KITH_APPVIEW": endpoints.appview, "ATP_PDS_HOST": endpoints.pds, "ATP_PLC_HOST": endpoints.plc,
    ]
  }

  /// Runs one command line against it; words are separated by spaces.
  func kith(
    _ line: String, environment more: [String: String] = [:], input: String = ""
  ) async throws -> KithRun {
    try await KithRun(
      line.split(separator: " ").map(String.init), environment: environment.merging(more) { _, new in new },
      input: input)
  }
}
