// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport

@testable import KithRelationships
@testable import KithWriting

extension PDSDouble {
  /// The repository of the account, with its own transport or another one.
  func repository(over transport: ScriptedTransport? = nil) throws -> PDSRepository {
    PDSRepository(account: account, pds: try client(transport ?? self.transport))
  }
}

extension RecordWrite {
  /// Creates a follow of the account with this number.
  static func create(_ key: String, _ subject: Int = 1) throws -> RecordWrite {
    RecordWrite(
      collection: .follow, rkey: try RecordKey(parsing: key),
      action: .create(PDSDouble.edge("app.bsky.graph.follow", Accounts.did(subject))))
  }

  /// Deletes a follow without its former content.
  static func delete(_ key: String) throws -> RecordWrite {
    RecordWrite(collection: .follow, rkey: try RecordKey(parsing: key), action: .delete(former: nil))
  }
}
