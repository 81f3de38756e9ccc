// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What one round of many requests cost.
struct Measurement {
  var requestsPerSecond: Double
  /// User and system time of this process, all threads, for each request.
  var cpuMicroseconds: Double

  /// Sends `count` requests, `inFlight` at a time, and checks that each answer has `bytes` bytes.
  static func round(
    count: Int, inFlight: Int, bytes: Int, _ send: @escaping @Sendable () async throws -> Int
  ) async throws -> Measurement {
    let cpuBefore = cpuTime()
    let elapsed = try await ContinuousClock().measure {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<inFlight {
          group.addTask {
            for _ in stride(from: lane, to: count, by: inFlight) {
              let size = try await send()
              guard size == bytes else { throw StaticServer.Failure(description: "\(size) bytes came") }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    return Measurement(
      requestsPerSecond: Double(count) / (elapsed / .seconds(1)),
      cpuMicroseconds: (cpuTime() - cpuBefore) * 1e6 / Double(count))
  }

  private static func cpuTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
