// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Keeps the names that the lists of signed-in accounts had when they were last read.
package protocol ListNameStore: Sendable {
  /// Replaces what is known of an account's lists.
  func replace(_ lists: [(uri: ATURI, name: String)], of owner: DID) async throws
  /// The names of all lists, each once, in alphabetical order.
  func names() async throws -> [String]
  /// The name of each list.
  func namesByList() async throws -> [ATURI: String]
}
