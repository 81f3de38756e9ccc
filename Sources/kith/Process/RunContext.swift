// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithClient
import KithCore
import KithCurlTransport
import KithOperations

/// What a command uses of its process: variables, descriptors, clock, transport.
/// Tests make their own to run commands in one process.
struct RunContext: Sendable {
  /// The environment variables.
  var environment: [String: String]
  /// The descriptor of stdin, which `-` names.
  var input: Int32
  /// The descriptor for results.
  var output: Int32
  /// The descriptor for messages.
  var errors: Int32
  /// Whether only errors are reported; see `--quiet`.
  var isQuiet = false
  /// The clock for measuring, timestamps and waiting.
  var time: TimeSource
  /// How long people took to answer questions.
  let questionTime = QuestionTime()
  /// What the command works with, once its options are read.
  let workspace = PosixMutex<Workspace?>(nil)
  /// Makes the HTTP transport.
  var transport: @Sendable (CurlTransport.Configuration) -> any HTTPTransport

  /// This process.
  static func ofProcess() -> RunContext {
    let environment = environmentOfProcess()
    return RunContext(
      environment: environment, input: STDIN_FILENO, output: STDOUT_FILENO, errors: STDERR_FILENO,
      time: .ofProcess(environment),
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
