// SPDX-License-Identifier: Apache-2.0

import KithClient

extension URLSessionTransport {
  /// How a transport behaves towards all hosts.
  public struct Configuration: Sendable, Hashable {
    /// The name and version of the program, as `name/version`.
    public var product: String
    /// How its operator can be reached, a `mailto:` or `https:` URL.
    public var contact: String?
    /// The maximum number of connections to one host; further exchanges wait.
    public var connectionsPerHost: Int

    /// Creates a configuration; the defaults suit calls of the AppView.
    public init(product: String = "kith/0.2.0", contact: String? = nil, connectionsPerHost: Int = 8) {
      self.product = product
      self.contact = contact
      self.connectionsPerHost = connectionsPerHost
    }

    /// The value of `User-Agent`: the product, and the contact in parentheses.
    public var userAgent: String { UserAgent.value(product: product, contact: contact) }
  }
}
