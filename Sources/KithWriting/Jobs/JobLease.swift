// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The exclusive right to run a job, or to plan changes; it ends with the process at the latest.
package protocol JobLease: Sendable {
  /// Releases the lease; does nothing if it was released before.
  func release()
}

/// The process that holds a job: it runs, undoes, removes or creates it.
public struct LeaseOwner: Sendable, Hashable {
  /// The process ID.
  public var process: Int32
  /// The host name.
  public var host: String
  /// When the lease was taken.
  public var since: Datetime

  /// Creates a lease owner.
  package init(process: Int32, host: String, since: Datetime) {
    self.process = process
    self.host = host
    self.since = since
  }
}

extension LeaseOwner: CustomStringConvertible {
  public var description: String { "process \(process) on \(host), since \(since)" }
}
