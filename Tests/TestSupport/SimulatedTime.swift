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
  /// The threads of all such clocks, which are not a part of what is simulated.
  private static let drivers = PosixMutex<Set<String>>([])

  package init() {
    let thread = Thread { [clock, isOver] in
      guard let own = Self.ownThread else { return }
      Self.drivers.withLock { _ = $0.insert(own) }
      defer { Self.drivers.withLock { _ = $0.remove(own) } }
      var last: [String: String]?
      while !isOver.withLock(\.self) {
        // Without a sleeper there is nowhere to go on to, and a look at all threads costs as much as a small step of a test.
        let threads = clock.sleeperCount > 0 ? Self.sleepingThreads() : nil
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

  private static var ownThread: String? {
    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    return path?.split(separator: "/").last.map(String.init)
  }

  /// How often each thread has run, by its number, without those of such clocks; nil if one of them is running.
  private static func sleepingThreads() -> [String: String]? {
    guard let all = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") else {
      return nil
    }
    let drivers = drivers.withLock(\.self)
    var threads: [String: String] = [:]
    for thread in all where !drivers.contains(thread) {
      guard let file = fopen("/proc/self/task/\(thread)/status", "r") else { return nil }
      defer { fclose(file) }
      var status = [CChar](repeating: 0, count: 8_192)
      fread(&status, 1, status.count - 1, file)
      guard let switches = switches(ofSleeping: status) else { return nil }
      threads[thread] = switches
    }
    return threads
  }

  /// How often a thread has run, from what the system says of it; nil unless it sleeps.
  ///
  /// Searched by C: this is done thousands of times, and taking text apart would be most of what the tests do.
  private static func switches(ofSleeping status: [CChar]) -> String? {
    status.withUnsafeBufferPointer { status in
      guard let start = status.baseAddress, strstr(start, "\nState:\tS") != nil else { return nil }
      return strstr(start, "\nvoluntary_ctxt_switches").map { String(cString: $0) }
    }
  }
}
