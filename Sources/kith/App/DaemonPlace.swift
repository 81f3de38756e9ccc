// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport

/// Where the daemon of the user is: a lock, which says that it runs, and a socket, both in the folder of sessions and of the same
/// mode.
struct DaemonPlace {
  private static let lockName = "daemon.lock"
  private static let socketName = "daemon.sock"

  private let folder: SecureFolder

  /// - Throws: ``CommandFault`` if no variable names a home directory.
  init(in environment: [String: String]) throws(CommandFault) {
    folder = SecureFolder(path: try UserFolder.state.path(in: environment))
  }

  /// The path of the socket.
  var socket: String { folder.path(of: Self.socketName) }

  /// Leads to the daemon; nil if there is none, or a stranger may have made the socket.
  func transport(
    _ make: (CurlTransport.Configuration) -> any HTTPTransport
  ) -> (any HTTPTransport)? {
    guard (try? folder.hasSocket(Self.socketName)) == true else { return nil }
    return make(CurlTransport.Configuration(connectionsPerHost: 16, unixSocket: socket))
  }

  /// Takes the place: there is one daemon at a time.
  ///
  /// - Throws: ``CommandFault``, to try again later, if another process has it; also if a stranger may have been here, or something
  ///   else is in the place of the socket.
  func take(as process: Int32) throws(CommandFault) -> SecureFolder.Lock {
    do throws(SecureFolderError) {
      if let lock = try folder.lock(Self.lockName) {
        // One that is left from a process that was killed is replaced.
        _ = try folder.hasSocket(Self.socketName)
        lock.write("\(process)")
        return lock
      }
    } catch { throw CommandFault(error) }
    throw CommandFault(.tryLater, .daemonRuns(process: holder))
  }

  /// The number of the process that has the place, as it has written it; nil if none has.
  var holder: String? { (try? folder.holder(of: Self.lockName)) ?? nil }
}
