// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct SelectedAccountsTests {
  private func names(_ texts: String...) -> AccountSelection.Names {
    AsyncThrowingStream { stream in
      for text in texts { stream.yield([RelationshipQuestion(typed: text)]) }
      stream.finish()
    }
  }

  /// A selector that knows the handles of the accounts 1 to 9, and has no listings.
  private var selector: AccountSelector {
    AccountSelector(for: nil) { _ in
      throw RelationshipError.clientNotConfigured
    } resolving: { handles in
      let known = Dictionary(uniqueKeysWithValues: (1..<10).map { (Accounts.handle($0), Accounts.did($0)) })
      return Dictionary(
        uniqueKeysWithValues: handles.map { handle in
          (
            handle,
            known[handle].map { .success($0) }
              ?? .failure(IdentityError(.notFound, subject: handle, detail: "no such account"))
          )
        })
    }
  }

  private func accounts(
    _ selection: AccountSelection, skipping: Bool = false
  ) async throws -> SelectedAccounts {
    try await selector.accounts(of: selection, skippingInvalid: skipping) { _ in }
  }

  private func dids(_ found: SelectedAccounts) -> [DID?] { found.members.map { try? $0.account.get() } }

  @Test func keepsTheOrderAndCountsDuplicates() async throws {
    let found = try await accounts(
      AccountSelection([
        .names(names("user3.test", "@User1.test")),
        .names(names("user1.test", "\(Accounts.did(2))", "user3.test")),
      ]))
    #expect(found.members.map(\.name) == ["user3.test", "@User1.test", "\(Accounts.did(2))"])
    #expect(dids(found) == [Accounts.did(3), Accounts.did(1), Accounts.did(2)])
    #expect(found.members.map(\.isResolved) == [true, true, false])
    #expect(found.repetitions == 2)
  }

  @Test func looksNothingUpIfANameIsNotValid() async throws {
    let selection = AccountSelection([.names(names("user1.test", "no one", "@"))])
    let found = try await accounts(selection)
    #expect(found.invalid.count == 2 && found.invalid.first.map(\.input) == ["no one", "@"])
    #expect(dids(found) == [nil])
    let rest = try await accounts(
      AccountSelection([.names(names("user1.test", "no one", "@"))]), skipping: true)
    #expect(rest.invalid.count == 2 && dids(rest) == [Accounts.did(1)])
  }

  @Test func keepsTheFirstInvalidNames() async throws {
    let many = AsyncThrowingStream<[RelationshipQuestion], any Error> { stream in
      for number in 0..<130 { stream.yield([RelationshipQuestion(typed: "no \(number)")]) }
      stream.finish()
    }
    let found = try await SelectedAccounts(named: many)
    #expect(found.invalid.count == 130 && found.invalid.first.count == 100 && found.members.isEmpty)
  }

  /// Blocking the owner of a list instead of its members is never intended.
  @Test(arguments: [
    "at://alice.test/app.bsky.graph.list/3khuwc44c2222",
    "https://bsky.app/profile/alice.test/lists/3khuwc44c2222",
  ])
  func aListIsNoAccount(text: String) async throws {
    let found = try await SelectedAccounts(named: names(text))
    #expect(found.invalid.count == 1 && found.members.isEmpty)
  }

  @Test func acceptsARecordURIAsItsAccount() async throws {
    let found = try await SelectedAccounts(named: names("at://alice.test/app.bsky.feed.post/3khuwc44c2222"))
    #expect(found.members.count == 1)
  }

  @Test func leavesOutWhatExclusionsName() async throws {
    let found = try await accounts(
      AccountSelection(
        [.names(names("user1.test", "\(Accounts.did(2))", "user3.test", "nobody.test"))],
        excluding: [names("\(Accounts.did(1))"), names("user2.test", "unknown.test")]))
    #expect(dids(found) == [Accounts.did(3), nil])
    #expect(found.excluded == 2 && found.unknownExclusions == ["unknown.test"])
  }

  /// They may name any account.
  @Test func looksNothingUpIfAnExclusionIsNotValid() async throws {
    let selection = AccountSelection([.names(names("user1.test"))], excluding: [names("no one")])
    let found = try await accounts(selection, skipping: true)
    #expect(found.invalid.count == 0 && found.invalidExclusions.count == 1 && dids(found) == [nil])
  }

  /// Its account might be selected.
  @Test func failsIfAnExclusionCannotBeLookedUp() async throws {
    let selector = AccountSelector(for: nil) { _ in
      throw RelationshipError.clientNotConfigured
    } resolving: { _ in
      [:]
    }
    let selection = AccountSelection(
      [.names(names("\(Accounts.did(1))"))], excluding: [names("user2.test")])
    await #expect(throws: IdentityError.self) { _ = try await selector.accounts(of: selection) { _ in } }
  }

  @Test func isEmptyWhereNoAccountIsNamed() async throws {
    #expect(try await accounts(AccountSelection([])).members.isEmpty)
  }
}
