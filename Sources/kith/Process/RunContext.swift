// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import CurlTransport
import Glibc

/// What a run of a command gets from the system. A test runs commands within its own process, in another one.
struct RunContext: Sendable {
  /// The variables that the run was started with.
  var environment: [String: String]
  /// The descriptor that data goes to.
  var output: Int32
  /// What a person calls where data goes to.
  var outputName = "stdout"
  /// The descriptor that talk goes to.
  var errors: Int32
  /// Measures, dates and waits.
  var time: TimeSource
  /// Makes what carries the calls.
  var transport: @Sendable (CurlTransport.Configuration) -> any HTTPTransport

  /// The context of the run that asks.
  @TaskLocal static var current = ofProcess()

  private static func ofProcess() -> RunContext {
    let environment = environmentOfProcess()
    return RunContext(
      environment: environment, output: STDOUT_FILENO, errors: STDERR_FILENO, time: .ofProcess(environment),
      transport: CurlTransport.init)
  }

  private static func environmentOfProcess() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    return variables
  }
}
