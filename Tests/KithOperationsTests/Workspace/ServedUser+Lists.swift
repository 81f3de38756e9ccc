// SPDX-License-Identifier: Apache-2.0

import KithCore
import SandboxSupport
import Testing

extension ServedUser {
  /// Writes a list with a member into Alice's repository, as another app would.
  ///
  /// - Returns: the record of the member.
  @discardableResult
  func writeList(_ name: String, with member: DID) throws -> ATURI {
    let alice = try did("alice")
    let (list, item) = (
      try NSID(parsing: "app.bsky.graph.list"), try NSID(parsing: "app.bsky.graph.listitem")
    )
    let key = try RecordKey(parsing: "3k2yihcrp6f2c")
    let date: DataValue = "2026-01-01T00:00:00.000Z"
    let uri = ATURI(authority: .did(alice), collection: list, recordKey: key)
    let values: [NSID: DataValue] = [
      list: [
        "$type": .string("\(list)"), "name": .string(name), "purpose": "app.bsky.graph.defs#curatelist",
        "createdAt": date,
      ],
      item: [
        "$type": .string("\(item)"), "list": .string("\(uri)"), "subject": .string("\(member)"),
        "createdAt": date,
      ],
    ]
    for collection in [list, item] {
      try #require(network.setRecords([key: values[collection]], in: collection, of: alice))
    }
    return ATURI(authority: .did(alice), collection: item, recordKey: key)
  }
}
