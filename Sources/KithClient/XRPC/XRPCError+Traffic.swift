// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension XRPCError {
  /// Converts the refusal of a call by the limiter of its host.
  init(_ refusal: TrafficRefusal, method: NSID, service: ServiceURL) {
    switch refusal {
    case .rateLimited(let wait):
      self.init(
        .rateLimited, method: method, service: service.origin, message: refusal.words, retryAfter: wait,
        wasSent: false)
    case .resting(.transport(let error), _, let wait):
      self.init(
        .transport, method: method, service: service.origin, message: refusal.words, retryAfter: wait,
        underlying: error, wasSent: false)
    case .resting(.status(let status), _, let wait):
      self.init(
        .unavailable, method: method, service: service.origin, status: status, message: refusal.words,
        retryAfter: wait, wasSent: false)
    }
  }
}
