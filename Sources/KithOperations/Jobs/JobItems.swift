// SPDX-License-Identifier: Apache-2.0

import KithWriting

/// Reads the items of a job in order, page by page.
struct JobItems {
  private static let pageSize = 500

  private let job: JobID
  private let store: any JobStore
  private let states: Set<JobItemState.Kind>
  private var page: ArraySlice<JobItem> = []
  private var position: Int?
  private var isAtEnd = false

  init(
    of job: JobID, in store: any JobStore, states: Set<JobItemState.Kind> = Set(JobItemState.Kind.allCases)
  ) {
    self.job = job
    self.store = store
    self.states = states
  }

  mutating func next() async throws -> JobItem? {
    if page.isEmpty, !isAtEnd {
      page = try await store.items(
        of: job, in: states, after: position, most: Self.pageSize)[...]
      position = page.last?.position
      isAtEnd = page.count < Self.pageSize
    }
    return page.popFirst()
  }
}
