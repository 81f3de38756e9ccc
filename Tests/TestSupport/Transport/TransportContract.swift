// SPDX-License-Identifier: Apache-2.0

package import KithClient
internal import Testing

/// A transport that can be closed before it is released.
package protocol ClosableTransport: HTTPTransport {
  /// Ends all exchanges in progress with `closed`; later requests fail with `closed`.
  func close()
}

/// What every ``HTTPTransport`` of this package does, as rules that each one's tests apply to it.
package struct TransportContract: Sendable {
  /// One rule, named by what a transport does.
  package struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    let test: @Sendable (TransportContract) -> () async throws -> Void

    init(_ name: String, _ test: @escaping @Sendable (TransportContract) -> () async throws -> Void) {
      self.name = name
      self.test = test
    }

    package var testDescription: String { name }
  }

  /// Creates a transport that uses no proxy.
  let make: @Sendable () -> any ClosableTransport

  /// Creates the contract of a kind of transport.
  package init(_ make: @escaping @Sendable () -> any ClosableTransport) { self.make = make }

  /// Applies a rule.
  package func apply(_ rule: Rule) async throws { try await rule.test(self)() }

  /// All rules.
  package static let rules = exchanges + redirects + limits + failures + streams + endings
}
