// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A `kith` that was started, with streams and signals in a test's hands.
struct RunningKith: Sendable {
  let process: pid_t

  /// Starts `kith` with descriptors for its stdin, stdout and stderr, with shortened waits, and with nothing else
  /// in its environment but what is named. Signals do what they do by default, whatever the tests' own parents made of them.
  ///
  /// - Parameters:
  ///   - streams: nil closes one.
  ///   - launcher: a command that becomes `kith`, such as `nohup`; by its path.
  init(
    _ arguments: [String], environment: [String: String], streams: [Int32?], launcher: [String] = []
  ) throws {
    let command = launcher + [KithRun.executable] + arguments
    let program = command[0]
    let inherited = ProcessInfo.processInfo.environment.filter {
      ["LD_LIBRARY_PATH", "ASAN_OPTIONS"].contains($0.key)
    }
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      inherited.merging(KithRun.shortenedWaits.merging(environment) { _, named in named }) { _, own in own }
      .map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      if let stream {
        posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
      } else {
        posix_spawn_file_actions_addclose(&actions, Int32(number))
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var started = pid_t()
    let fault = posix_spawn(&started, program, &actions, &attributes, &words, &variables)
    guard fault == 0 else { throw POSIXError(POSIXErrorCode(rawValue: fault) ?? .ENOENT) }
    process = started
  }

  /// What Ctrl-C sends.
  func interrupt() { send(SIGINT) }

  func send(_ signal: Int32) { kill(process, signal) }

  /// The most memory that it has had at a time, in mebibytes; nil when it has ended.
  var peakMebibytes: Int? {
    let facts = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = facts.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 / 1_024 }
  }

  /// Waits for the end.
  ///
  /// - Returns: the exit status; 128 and the signal's number where a signal ended it.
  func status() async -> Int32 {
    await blocking { [process] in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
  }
}

/// Does what blocks a thread on one of its own: the sandbox answers on Swift's and on Dispatch's.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
