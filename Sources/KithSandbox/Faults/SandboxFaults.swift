// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The share of answers that fail, and how, as in a real network.
///
/// Health checks are exempt. Whether a request is affected depends only on the seed, the request, and how
/// often that request has come. So the same requests meet the same faults in every run, regardless of
/// concurrency and order. A request is identified by its method, host, path and query; calls of one
/// procedure are told apart by the order in which they come.
package struct SandboxFaults: Sendable, Hashable {
  /// The share of answers that fail, from 0 to 1.
  package var rate: Double
  /// The faults that may occur, all with the same probability.
  package var kinds: Set<Kind>
  /// The XRPC methods whose answers may fail; nil for everything, including other requests.
  package var methods: Set<NSID>?
  /// The seed; another one affects other answers.
  package var seed: UInt64
  /// The pause between the eight pieces of a slow answer, by the configuration's clock.
  package var pause: Duration

  /// Creates a configuration; by default, no answer fails.
  package init(
    rate: Double = 0, kinds: Set<Kind> = Set(Kind.allCases), methods: Set<NSID>? = nil, seed: UInt64 = 1,
    pause: Duration = .milliseconds(50)
  ) {
    self.rate = rate
    self.kinds = kinds
    self.methods = methods
    self.seed = seed
    self.pause = pause
  }

  /// The kinds of faults.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The server fails before doing anything: an XRPC error body.
    case internalServerError = "500"
    /// A proxy fails, before or after the server was asked: plain text.
    case badGateway = "502"
    /// The proxy turns everyone away without asking the server: plain text.
    case serviceUnavailable = "503"
    /// The connection is reset: before the server has done anything, or in the middle of its answer.
    case reset
    /// The connection ends before the declared length.
    case truncate
    /// Nothing is sent, or only the head, followed by silence until the client leaves, at most ten minutes.
    case stall
    /// The answer comes in eight pieces with pauses.
    case slow
    /// Bytes that are not HTTP, or HTTP with a body that is not JSON.
    case garbage
    /// A web page with status 200, without asking the server; for example, a captive portal.
    case html
    /// The server does what it is asked to, and the connection is reset before the answer is sent.
    case lost
  }
}
