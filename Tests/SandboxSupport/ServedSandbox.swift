// SPDX-License-Identifier: Apache-2.0

package import KithLocalHTTP
package import KithSandbox

/// A sandbox behind a port of this machine, until it is stopped or forgotten.
package final class ServedSandbox: Sendable {
  package let endpoints: Sandbox.Endpoints
  /// The port.
  package let port: UInt16
  private let serving: Task<Void, Never>

  /// - Parameters:
  ///   - port: with 0, the system chooses a free one.
  ///   - pauses: measures the pauses within slow answers.
  package init(
    _ sandbox: Sandbox, port: UInt16 = 0, pausing pauses: any Clock<Duration> = ContinuousClock()
  ) throws(LocalHTTPError) {
    let listener = try HTTPListener(port: port, limits: LocalHTTPLimits(bodyBytes: Sandbox.mostBodyBytes))
    self.port = listener.port
    endpoints = Sandbox.Endpoints(at: listener.url)
    serving = Task { await listener.serve(pausing: pauses, sandbox.answers(at: listener.url)) }
  }

  deinit { serving.cancel() }

  /// Closes the port and all connections, and returns when that is done.
  package func stop() async {
    serving.cancel()
    await serving.value
  }
}
