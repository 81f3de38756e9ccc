// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A running `kith` process whose streams and signals the test controls.
struct RunningKith: Sendable {
  let process: pid_t

  /// Starts `kith` with descriptors for stdin, stdout and stderr, shortened waits, the given environment, and
  /// default signal handlers.
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

  /// Sends SIGINT, like Ctrl-C.
  func interrupt() { send(SIGINT) }

  func send(_ signal: Int32) { kill(process, signal) }

  /// The peak memory in mebibytes; nil if the process has ended.
  var peakMebibytes: Int? {
    let facts = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = facts.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 / 1_024 }
  }

  /// Waits for the end.
  ///
  /// - Returns: the exit status; 128 plus the signal number if a signal ended it.
  func status() async -> Int32 {
    await blocking { [process] in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
  }
}

/// Runs blocking work on its own thread, because the sandbox uses the threads of Swift and Dispatch.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
