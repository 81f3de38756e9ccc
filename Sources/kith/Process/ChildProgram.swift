// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore

/// Another program of this machine, which is run without input and output.
struct ChildProgram {
  let path: String
  /// The environment that it gets; the variables of a run may be secrets.
  var environment: [String: String]
  /// What it may use; nil for no limit.
  var limits: Limits?

  /// What a program that reads a file of others may use.
  struct Limits {
    /// Bytes of memory, and of each file that it writes.
    var memory, file: UInt64
    /// Seconds of all processors together.
    var processorTime: UInt64
  }

  /// Finds a program.
  ///
  /// - Parameter variables: the names of the variables that it gets.
  /// - Returns: nil if there is none of that name.
  init?(_ name: String, in environment: [String: String], passing variables: Set<String>) {
    let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    guard let folder = folders.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else { return nil }
    path = "\(folder)/\(name)"
    self.environment = environment.filter { variables.contains($0.key) }
  }

  /// Finds the first program of an enumeration that this machine has.
  ///
  /// - Parameters:
  ///   - variables: the names of the variables that it gets.
  ///   - isFit: whether a program can be used.
  /// - Returns: nil if there is none.
  static func first<Name: RawRepresentable<String> & CaseIterable>(
    of: Name.Type, in environment: [String: String], passing variables: Set<String>,
    where isFit: (Name) -> Bool = { _ in true }
  ) -> (name: Name, child: ChildProgram)? {
    for name in Name.allCases where isFit(name) {
      if let child = ChildProgram(name.rawValue, in: environment, passing: variables) { return (name, child) }
    }
    return nil
  }

  /// Runs the program and waits for its end; it is killed if the task is cancelled, or after the limit.
  ///
  /// - Parameter late: what to throw after the limit; receives the status of a program that was killed.
  /// - Returns: its exit status; 128 plus the number of the signal that ended it; 127 if it could not be started.
  /// - Throws: `CancellationError`.
  func run(
    _ arguments: [String], atMost limit: Duration, orThrow late: (Int32) -> any Error
  ) async throws -> Int32 {
    guard let child = start(arguments) else { return 127 }
    do {
      return try await BlockingCall.run(atMost: limit, orThrow: late(128 + SIGKILL)) {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
      }
    } catch {
      kill(child, SIGKILL)
      throw error
    }
  }

  private func start(_ words: [String]) -> pid_t? {
    let command = command(words)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var child = pid_t()
    return posix_spawn(&child, command[0], &actions, nil, &arguments, &variables) == 0 ? child : nil
  }

  /// The program and its arguments, behind a shell that sets its limits: it has them before it begins.
  private func command(_ words: [String]) -> [String] {
    guard let limits else { return [path] + words }
    let commands = [
      "ulimit -v \(limits.memory >> 10)", "ulimit -f \(limits.file >> 9)",
      "ulimit -t \(limits.processorTime)",
    ]
    // What is limited more already stays so.
    let script = commands.map { "\($0) 2>/dev/null || :" } + [#"exec "$0" "$@""#]
    return ["/bin/sh", "-c", script.joined(separator: "\n"), path] + words
  }
}

/// The timers that this user's systemd runs.
struct UserTimers {
  /// What is known about a timer.
  enum State {
    case active, inactive
    /// This machine has no systemd, or the user has none of their own: perhaps cron does it.
    case unknown
  }

  private let program: ChildProgram?

  init(in environment: [String: String]) {
    program = ChildProgram(
      "systemctl", in: environment,
      passing: ["PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME"])
  }

  /// Whether the user's systemd runs a timer.
  ///
  /// - Throws: `CancellationError`.
  func state(of timer: String) async throws -> State {
    struct Late: Error {}
    guard let program else { return .unknown }
    do {
      switch try await program.run(
        ["--user", "--quiet", "is-active", timer], atMost: .seconds(5), orThrow: { _ in Late() })
      {
      case 0: return .active
      // Inactive or not installed; any other status means that systemd could not be asked.
      case 3, 4: return .inactive
      default: return .unknown
      }
    } catch is Late {
      return .unknown
    }
  }
}
