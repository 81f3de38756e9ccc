// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Lists by their names, also where several have the same one.
@Suite struct NamedListTests {
  @Test func aNameThatListingsShowMeansTheListThatTheyShow() async throws {
    let user = try await ServedUser(on: FaultyNetwork(accounts: 400))
    let shown = try await user.run(ShowLists(of: user.actor("grace"))).rows.compactMap(\.name)
    #expect(!shown.isEmpty)
    let workspace = user.workspace()
    for name in shown {
      let list = try await workspace.list(named: "grace.test/\(name)", of: nil)
      #expect(try await user.run(ListMembers(of: list, withHandles: false)).rows.isEmpty == false, "\(name)")
    }
  }

  @Test func listsOfOneNameAreToldApartByPurposeAndSize() async throws {
    let user = try await ServedUser(on: FaultyNetwork(accounts: 400))
    let workspace = user.workspace()
    let account = try await workspace.account()
    let (mod, curate) = (
      ListDraft(name: "Birds", purpose: .moderate), ListDraft(name: "Birds", purpose: .curate)
    )
    func uri(_ key: String) throws -> ATURI {
      ATURI(authority: .did(account.did), collection: .list, recordKey: try RecordKey(parsing: key))
    }
    try await user.change(
      .list(.create(uri("3khuwc44c222a"), mod)), .list(.create(uri("3khuwc44c222b"), curate)))
    let failure = await #expect(throws: OperationError.self) {
      try await user.workspace().list(named: "Birds", of: account)
    }
    let text = try #require(failure).description
    #expect(text.contains("(mod,") && text.contains("(curate,"), "\(text)")
  }
}
