// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The name of a record within a repository.
struct SandboxRecordName: Sendable, Hashable {
  let collection: NSID
  let key: RecordKey
}
