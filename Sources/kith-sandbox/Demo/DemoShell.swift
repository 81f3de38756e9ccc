// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import Glibc
import KithCore
import KithSandbox

/// Runs shell commands in which `kith` is a certain one and the network is the demo's.
struct DemoShell {
  private let folder: String
  /// The environment of the commands.
  private let environment: [String: String]

  /// - Parameter program: the folder of `kith`.
  init(folder: String, endpoints: Sandbox.Endpoints, program: String) {
    self.folder = folder
    var variables = ProcessInfo.processInfo.environment
    variables["PATH"] = "\(program):" + (variables["PATH"] ?? "/usr/bin:/bin")
    variables["KITH_APPVIEW"] = endpoints.appview
    variables["ATP_PDS_HOST"] = nil
    variables["ATP_PLC_HOST"] = endpoints.plc
    variables["KITH_RESOLVER"] = endpoints.pds
    variables["KITH_JETSTREAM"] = endpoints.appview
    // Keep sessions and jobs of the demo apart from the user's.
    variables["XDG_STATE_HOME"] = "\(folder)/state"
    variables["XDG_DATA_HOME"] = "\(folder)/data"
    variables["XDG_CACHE_HOME"] = "\(folder)/cache"
    environment = variables
  }

  /// Runs one command in the folder, with the output of this process. Cancelling the task kills the command
  /// and its children, so nothing writes into the folder afterwards.
  ///
  /// - Throws: ``ProgramFault`` if it fails; `CancellationError`.
  func run(_ command: String) async throws {
    let status = try await status(of: command)
    try Task.checkCancellation()
    if status == ProgramFault.Status.readerGone.rawValue { throw ProgramFault(.readerGone) }
    guard status == 0 else {
      throw ProgramFault(.internalError, "the demo failed: \(command) exited with \(status)")
    }
  }

  /// - Returns: the exit status; 128 plus the signal number if a signal ended it.
  private func status(of command: String) async throws(ProgramFault) -> Int32 {
    let words = ["/bin/sh", "-c", "cd \"$0\" && \(command)", folder]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    // Commands get the default signal handlers, as in any shell.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    // Its own process group can be killed as a whole. It is a background group, so it must not read the
    // terminal.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    var child = pid_t()
    let fault = posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, &variables)
    guard fault == 0 else {
      throw .system("/bin/sh", status: .internalError, number: fault)
    }
    let status = await Self.end(of: child)
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  private static func end(of process: pid_t) async -> Int32 {
    let running = PosixMutex<pid_t?>(process)
    return await withTaskCancellationHandler {
      // Waiting blocks a thread, so it must not be one of Swift's: the sandbox answers on those.
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          // Until the child is reaped, its process ID is not reused.
          var facts = siginfo_t()
          while waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT) < 0, errno == EINTR {}
          running.withLock { $0 = nil }
          var status: Int32 = 0
          while waitpid(process, &status, 0) < 0, errno == EINTR {}
          continuation.resume(returning: status)
        }
      }
    } onCancel: {
      running.withLock { process in if let process { kill(-process, SIGKILL) } }
    }
  }
}
