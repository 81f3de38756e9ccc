// SPDX-License-Identifier: Apache-2.0

import KithLocalHTTP
import KithSandbox

/// A sandbox behind a port of its own, until it is stopped.
struct ServedSandbox {
  let sandbox: Sandbox
  let endpoints: Sandbox.Endpoints
  private let serving: Task<Void, Never>

  /// - Throws: ``ProgramFault`` without a free port.
  init(_ sandbox: Sandbox) throws(ProgramFault) {
    self.sandbox = sandbox
    let listener: HTTPListener
    let limits = LocalHTTPLimits(bodyBytes: Sandbox.mostBodyBytes)
    do { listener = try HTTPListener(port: 0, limits: limits) } catch {
      throw ProgramFault(.unavailable, "\(error)")
    }
    endpoints = Sandbox.Endpoints(at: listener.url)
    serving = Task { await listener.serve(sandbox.answers(at: listener.url)) }
  }

  func stop() async {
    serving.cancel()
    await serving.value
  }
}
