// SPDX-License-Identifier: Apache-2.0

/// A header field of a request or response.
package struct HeaderField: Sendable, Hashable {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
