// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore

/// A clock whose time passes only while this process has nothing to do: then it goes on to the time of the next sleeper.
///
/// So what waits in parallel takes as long as its longest part, and measured times are the same on any machine. The
/// process has nothing to do if all other threads sleep, and none of them has run between two looks at them. Needs
/// Linux, and a process that runs one test at a time.
package final class SimulatedTime: Sendable {
  /// The clock; whatever sleeps has to sleep on it.
  package let clock = ManualClock()
  private let isOver = PosixMutex(false)

  package init() {
    let thread = Thread { [clock, isOver] in
      var last: [String: String]?
      while !isOver.withLock(\.self) {
        let threads = Self.sleepingThreads()
        if threads != nil, threads == last {
          clock.advanceToNextSleeper()
          last = nil
        } else {
          last = threads
          // Only how long the test takes depends on it.
          usleep(100)
        }
      }
    }
    thread.start()
  }

  deinit { isOver.withLock { $0 = true } }

  /// How often each other thread has run, by its number; nil if one of them is running.
  private static func sleepingThreads() -> [String: String]? {
    let files = FileManager.default
    guard
      let own = try? files.destinationOfSymbolicLink(atPath: "/proc/thread-self").split(separator: "/").last,
      let all = try? files.contentsOfDirectory(atPath: "/proc/self/task")
    else { return nil }
    var threads: [String: String] = [:]
    for thread in all where thread != own {
      guard let file = fopen("/proc/self/task/\(thread)/status", "r") else { return nil }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 8_192)
      let count = fread(&bytes, 1, bytes.count, file)
      let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
      guard lines.contains(where: { $0.hasPrefix("State:\tS") }) else { return nil }
      threads[thread] = lines.filter { $0.contains("voluntary_ctxt_switches") }.joined()
    }
    return threads
  }
}
