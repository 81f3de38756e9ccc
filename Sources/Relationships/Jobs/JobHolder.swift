// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// The process that runs a job.
public struct JobHolder: Sendable, Hashable {
  /// Its number on its machine.
  public var process: Int32
  /// The name of its machine.
  public var host: String
  /// Since when it runs the job.
  public var since: Datetime

  /// Puts together who runs a job.
  public init(process: Int32, host: String, since: Datetime) {
    self.process = process
    self.host = host
    self.since = since
  }
}

extension JobHolder: CustomStringConvertible {
  public var description: String { "process \(process) on \(host), since \(since)" }
}
