// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// The name of a record within a repository.
struct RecordName: Sendable, Hashable {
  let collection: NSID
  let key: RecordKey
}
