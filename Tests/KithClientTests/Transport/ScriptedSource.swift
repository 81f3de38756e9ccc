// SPDX-License-Identifier: Apache-2.0

import KithClient
import Synchronization

/// An endless body of zeros that records whether it was stopped.
final class ScriptedSource: TransportBodySource {
  private let stopped = Atomic(false)

  var isStopped: Bool { stopped.load(ordering: .acquiring) }
  var metrics: TransportResponse.Metrics { .init() }

  func next() async throws -> [UInt8]? { [0] }

  func stop() { stopped.store(true, ordering: .releasing) }
}
