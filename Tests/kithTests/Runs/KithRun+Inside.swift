// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithCurlTransport
import TestSupport

@testable import kith

extension KithRun {
  /// Runs one command line in the test process, from its words to its exit status.
  ///
  /// Starting a debug build takes longer than most of what these runs do. Signals, deadlines and terminals belong to a
  /// process: tests of those start one.
  ///
  /// - Parameters:
  ///   - network: answers the calls in place of servers.
  ///   - time: nil for the clock of a process, with shortened waits.
  ///   - wrap: what calls pass through before the transport that the command uses.
  static func inside(
    _ words: [String], environment: [String: String] = [:], input: String = "",
    network: (any HTTPTransport)? = nil, time: TimeSource? = nil,
    over wrap: @escaping @Sendable (CurlTransport) -> any HTTPTransport = { $0 }
  ) async throws -> KithRun {
    let home = try newHome()
    defer { try? FileManager.default.removeItem(at: home) }
    // Of a process, the start takes real time, too; here nothing is measured against the waits.
    let variables = baseEnvironment(home: home).merging(["KITH_TEST_SPEED": "400"]) { _, shorter in shorter }
      .merging(environment) { _, named in named }
    let files = [home.appending(path: "out"), home.appending(path: "err")]
    for file in files { try Data().write(to: file) }
    let stdin = home.appending(path: "in")
    try Data(input.utf8).write(to: stdin)
    let streams = try files.map { try FileHandle(forWritingTo: $0) } + [FileHandle(forReadingFrom: stdin)]
    let transports = PosixMutex<[CurlTransport]>([])
    let process = RunContext(
      environment: variables, input: streams[2].fileDescriptor, output: streams[0].fileDescriptor,
      errors: streams[1].fileDescriptor, time: time ?? .ofProcess(variables),
      transport: { configuration in
        if let network { return network }
        let transport = CurlTransport(configuration)
        transports.withLock { $0.append(transport) }
        return wrap(transport)
      })
    let status = await Kith.run(words, in: process)
    for transport in transports.withLock(\.self) { transport.close() }
    for stream in streams { try stream.close() }
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return KithRun(status: status.rawValue, output: texts[0], talk: texts[1])
  }
}
