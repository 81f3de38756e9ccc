// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// One call's worth of pairs: an account in the middle, asked about others.
struct Star: Equatable {
  var center: DID
  var others: [DID]
}
