// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What calls have cost so far, over all clients that share it.
public final class CallMeter: Sendable {
  private let total = Mutex(CallCost())

  /// Starts at nothing.
  public init() {}

  /// The cost up to now.
  public var cost: CallCost { total.withLock { $0 } }

  func add(_ change: (inout CallCost) -> Void) {
    total.withLock { change(&$0) }
  }

  func add(_ metrics: TransportResponse.Metrics) {
    add {
      $0.bytesSent += metrics.bytesSent
      $0.bytesReceived += metrics.bytesReceived
      $0.connectionsOpened += metrics.connectionsOpened
      $0.time += metrics.elapsed
    }
  }
}

/// The cost of a number of calls.
public struct CallCost: Sendable, Hashable {
  /// HTTP exchanges, retries included.
  public var calls = 0
  /// How many of them were repetitions.
  public var retries = 0
  /// Bytes sent, as seen on the wire.
  public var bytesSent = 0
  /// Bytes received, as seen on the wire, before decompression.
  public var bytesReceived = 0
  /// Connections opened.
  public var connectionsOpened = 0
  /// The time that the exchanges took, added up: longer than the clock's where they ran side by side.
  public var time = Duration.zero

  /// No cost.
  public init() {}
}
