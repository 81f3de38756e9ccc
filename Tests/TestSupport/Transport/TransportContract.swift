// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import Testing

/// A transport that can be closed before it is released.
public protocol ClosableTransport: HTTPTransport {
  /// Ends all exchanges in progress with `closed`; later requests fail with `closed`.
  func close()
}

/// What every ``HTTPTransport`` of this package does, as rules that each one's tests apply to it.
public struct TransportContract: Sendable {
  /// One rule, named by what a transport does.
  public struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    let test: @Sendable (TransportContract) -> () async throws -> Void

    init(_ name: String, _ test: @escaping @Sendable (TransportContract) -> () async throws -> Void) {
      self.name = name
      self.test = test
    }

    public var testDescription: String { name }
  }

  /// Creates a transport that uses no proxy.
  let make: @Sendable () -> any ClosableTransport

  /// Creates the contract of a kind of transport.
  public init(_ make: @escaping @Sendable () -> any ClosableTransport) { self.make = make }

  /// Applies a rule.
  public func apply(_ rule: Rule) async throws { try await rule.test(self)() }

  /// All rules.
  public static let rules = exchanges + redirects + limits + failures + streams + endings
}
