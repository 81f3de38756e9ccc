// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// The sole right to run a job, or to write its items down; it ends with the process at the latest.
public protocol JobLease: Sendable {
  /// Gives the right back. Nothing happens where it was given back before.
  func release()
}

/// The process that has a job in use: runs it, undoes it, forgets it or writes it down.
public struct LeaseOwner: Sendable, Hashable {
  /// Its number on its machine.
  public var process: Int32
  /// The name of its machine.
  public var host: String
  /// Since when.
  public var since: Datetime

  /// Puts together who has a job in use.
  public init(process: Int32, host: String, since: Datetime) {
    self.process = process
    self.host = host
    self.since = since
  }
}

extension LeaseOwner: CustomStringConvertible {
  public var description: String { "process \(process) on \(host), since \(since)" }
}
