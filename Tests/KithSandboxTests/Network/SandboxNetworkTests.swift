// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithSandbox

@Suite struct SandboxNetworkTests {
  private let network = SandboxQuestions.network

  private func did(_ member: NamedAccount) -> DID { network.dids[member.rawValue] }

  private func relationship(_ one: NamedAccount, _ other: NamedAccount) -> SandboxRelationship {
    network.relationship(of: did(one), with: did(other))
  }

  @Test func isTheSameForTheSameConfiguration() {
    let again = SandboxNetwork()
    #expect(Array(again.accounts) == Array(network.accounts))
    func relationships(in network: SandboxNetwork) -> [SandboxRelationship] {
      // One graph for all: making it costs more than asking it.
      let (graph, dids) = (LiveGraph(network), network.dids.prefix(100))
      return dids.flatMap { actor in dids.map { graph.relationship(of: actor, with: $0) } }
    }
    #expect(relationships(in: again) == relationships(in: network))
  }

  /// What documentation and scripts print stays true across releases.
  @Test func keepsItsNamesFromReleaseToRelease() {
    #expect(did(.alice).description == "did:plc:bgxeqes5nrcchd35ysfun425")
    #expect(did(.bob).description == "did:plc:6kvet535c5erlisfexdsgmqd")
    #expect(
      relationship(.alice, .bob).following?.description
        == "at://did:plc:bgxeqes5nrcchd35ysfun425/app.bsky.graph.follow/3kowkgdkpw222")
  }

  @Test func differsForAnotherSeed() {
    let other = SandboxNetwork(configuration: SandboxNetwork.Configuration(seed: 2))
    #expect(Set(other.dids).isDisjoint(with: network.dids))
    #expect(other.handles == network.handles)
    #expect(other.follows.count != network.follows.count)
  }

  @Test func findsAccountsByDIDAndHandle() throws {
    #expect(network.accounts.count == 1_000)
    #expect(Set(network.dids).count == 1_000)
    for account in network.accounts {
      #expect(network.account(account.did) == account)
      #expect(network.account(account.handle) == account)
    }
    #expect(network.account(try Handle(parsing: "user0999.test")) != nil)
    #expect(network.account(try Handle(parsing: "user1000.test")) == nil)
    #expect(network.account(try DID(parsing: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa")) == nil)
  }

  @Test func hasTheRelationshipsOfTheCast() {
    let bob = relationship(.alice, .bob)
    #expect(bob.following != nil && bob.followedBy != nil)
    let carol = relationship(.alice, .carol)
    #expect(carol.following != nil && carol.followedBy == nil)
    let dave = relationship(.alice, .dave)
    #expect(dave.following == nil && dave.followedBy != nil)
    let erin = relationship(.alice, .erin)
    #expect(erin.blocking != nil && erin.followedBy != nil && erin.following == nil)
    let frank = relationship(.alice, .frank)
    #expect(frank.blockedBy != nil && frank.following != nil && frank.blocking == nil)
    #expect(relationship(.alice, .heidi).blockingByList == network.uri(ofList: 0))
    #expect(relationship(.alice, .mallory).blockingByList == network.uri(ofList: 0))
    #expect(relationship(.alice, .ivan).blockedByList == network.uri(ofList: 2))
    #expect(relationship(.heidi, .alice).blockedByList == network.uri(ofList: 0))
    #expect(network.account(did(.oscar))?.status == .deactivated)
    #expect(network.account(did(.trent))?.status == .takenDown)
    for account in network.accounts {
      #expect(network.relationship(of: did(.niaj), with: account.did) == SandboxRelationship())
    }
  }

  @Test func hasNamesThatHurtTerminals() {
    let mallory = network.account(did(.mallory))?.displayName ?? ""
    #expect(mallory.contains("\u{1B}[31m") && mallory.unicodeScalars.contains("\u{202E}"))
    #expect(network.account(did(.judy))?.displayName.contains("🐳") == true)
  }

  @Test func writesRecordsIntoTheRepositoryOfTheActor() throws {
    let edges = relationship(.alice, .bob)
    let following = try #require(edges.following)
    #expect(following.authority == .did(did(.alice)))
    #expect(following.collection?.description == "app.bsky.graph.follow")
    let key = try #require(following.recordKey)
    let tid = try TID(parsing: key.description)
    #expect((1_704_067_200_000_000..<1_735_689_600_000_000).contains(tid.instant))
    #expect(edges.followedBy?.authority == .did(did(.bob)))
  }

  @Test func usesEachRecordKeyOnce() {
    for account in network.dids.indices {
      let moments = network.follows.edges(from: account).map { network.follows.microseconds(of: Int($0)) }
      #expect(Set(moments).count == moments.count)
    }
  }

  @Test func hasFewPopularAccountsAndManySmallOnes() {
    let followers = network.dids.indices.map { network.follows.edges(to: $0).count }.sorted()
    #expect(network.follows.count / network.dids.count > 10)
    #expect(followers[500] < 25)
    #expect(followers[999] > 200)
  }

  @Test func hasAListOfTwoHundred() {
    #expect(network.lists[0].name == "Spam and scams")
    #expect(network.listItems.edges(from: 0).count == 202)
  }

  @Test func isNeverSmallerThanItsCast() {
    for accounts in [-1, 0, 14, 15, 16, 30] {
      let small = SandboxNetwork(configuration: SandboxNetwork.Configuration(accounts: accounts))
      #expect(small.accounts.count == max(accounts, 14))
      #expect(small.follows.edge(from: NamedAccount.alice.rawValue, to: NamedAccount.bob.rawValue) != nil)
    }
  }
}
