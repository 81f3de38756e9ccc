// SPDX-License-Identifier: Apache-2.0

/// Where changes are recorded before they are sent: jobs, their items and outcomes, and the points spent.
///
/// `KithStore` adds `Journal.file(in:)`, a journal that survives crashes and that several processes
/// may share.
public struct Journal: Sendable {
  package let store: any JobStore

  /// Creates a journal in memory, for changes that need not survive the process.
  public init() { self.init(InMemoryJobStore()) }

  package init(_ store: any JobStore) { self.store = store }
}
