// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithLexicons

/// A small, generated AT Protocol network: accounts, and the follows, blocks and lists between them.
///
/// Immutable: equal configurations give equal networks, including each DID and record key, on every platform. An
/// object, because unoptimised code copies a value at each use, and this one has thirty arrays.
///
/// The first accounts are a fixed cast. Use Alice for queries: she has every possible relationship with one of the
/// others.
///
/// | account | with alice.test |
/// |---|---|
/// | bob.test | both follow |
/// | carol.test | alice follows her, she does not follow back |
/// | dave.test | follows alice, she does not follow back |
/// | erin.test | blocked by alice, still follows her (Q5) |
/// | frank.test | blocks alice, who still follows him (Q5) |
/// | grace.test | both follow; she keeps the lists and a starter pack |
/// | heidi.test | blocked by alice through grace's moderation list of about 200 |
/// | ivan.test | blocks alice through a moderation list of his own |
/// | judy.test | follows alice; her name is Chinese, Japanese and a whale |
/// | mallory.test | follows alice and is on grace's list; the name tries to take over a terminal |
/// | niaj.test | nothing, with anyone |
/// | oscar.test | both follow, but his account is deactivated |
/// | trent.test | follows alice, but his account is taken down |
///
/// All others (`user0014.test` and so on) follow each other as people do: a few have many followers and most
/// have few. Some block each other, and some are deactivated or taken down. A few that follow very many look
/// like bots. Most of them post: see ``Sandbox``.
package final class SandboxNetwork: Sendable {
  /// The configuration of a network.
  package struct Configuration: Sendable, Hashable {
    /// The number of accounts; at least the cast of 14.
    package var accounts: Int
    /// The seed for everything that is generated.
    package var seed: UInt64
    /// The approximate average number of accounts that a generated account follows.
    package var meanFollows: Int
    /// How many of the generated accounts, the first ones, have sent Alice a friend request.
    package var requests: Int

    /// Creates a configuration. The defaults give a network that starts instantly and is large enough for
    /// several batches.
    package init(accounts: Int = 1_000, seed: UInt64 = 1, meanFollows: Int = 20, requests: Int = 0) {
      self.accounts = accounts
      self.seed = seed
      self.meanFollows = meanFollows
      self.requests = requests
    }
  }

  /// The configuration that the network was generated from.
  package let configuration: Configuration

  let dids: [DID]
  let handles: [Handle]
  let lists: [NetworkList]
  let follows: EdgeTable
  let blocks: EdgeTable
  let listBlocks: EdgeTable
  let listItems: EdgeTable
  private let indexesByDID: [DID: Int32]
  private let indexesByHandle: [Handle: Int32]
  private let indexesByList: [ATURI: Int]
  private let listsByOwner: [Int: [Int]]

  /// Generates the network: a thousand accounts take milliseconds, a hundred thousand a few seconds.
  package init(configuration: Configuration = Configuration()) {
    let count = max(configuration.accounts, NamedAccount.allCases.count)
    self.configuration = configuration
    var random = SplitMix64(seed: configuration.seed)
    dids = (0..<count).map { _ in Identities.did(random: &random) }
    let digits = max(4, String(count - 1).utf8.count)
    handles = (0..<count).map { Identities.handle(of: $0, digits: digits) }
    indexesByDID = Dictionary(zip(dids, 0...), uniquingKeysWith: { first, _ in first })
    indexesByHandle = Dictionary(zip(handles, 0...), uniquingKeysWith: { first, _ in first })

    let generator = NetworkGenerator(accounts: count, meanFollows: configuration.meanFollows, random: random)
    let owned = generator.lists
    lists = owned
    listsByOwner = Dictionary(grouping: owned.indices) { owned[$0].owner }
    indexesByList = Dictionary(
      zip(
        owned.indices.map { [dids] in SandboxNetwork.uri(ofList: $0, of: dids[owned[$0].owner]) },
        owned.indices),
      uniquingKeysWith: { first, _ in first })
    let lists = owned.count
    func table(_ pairs: [UInt64], rows: Int, columns: Int, salt: UInt64) -> EdgeTable {
      EdgeTable(
        rows: rows, columns: columns, pairs: pairs, salt: SplitMix64.mix(configuration.seed &+ salt),
        period: Identities.secondsOfRecords)
    }
    follows = table(generator.follows, rows: count, columns: count, salt: 1)
    blocks = table(generator.blocks, rows: count, columns: count, salt: 2)
    listBlocks = table(generator.listBlocks, rows: count, columns: lists, salt: 3)
    listItems = table(generator.listItems, rows: lists, columns: count, salt: 4)
  }

  /// All accounts, the cast first.
  package var accounts: some RandomAccessCollection<SandboxAccount> {
    dids.indices.lazy.map(account(at:))
  }

  /// The account with this DID, or nil.
  package func account(_ did: DID) -> SandboxAccount? { index(of: did).map(account(at:)) }

  /// The account with this handle, or nil.
  package func account(_ handle: Handle) -> SandboxAccount? { index(of: handle).map(account(at:)) }

  /// The password of an account: `pw-` and the first label of its handle.
  func password(at index: Int) -> String {
    "pw-\(handles[index].description.prefix { $0 != "." })"
  }

  func index(of did: DID) -> Int? { indexesByDID[did].map(Int.init) }

  func index(of handle: Handle) -> Int? { indexesByHandle[handle].map(Int.init) }

  /// The account with this identifier, whatever its status.
  func index(of actor: ATIdentifier) -> Int? {
    switch actor {
    case .did(let did): index(of: did)
    case .handle(let handle): index(of: handle)
    }
  }

  func uri(ofList list: Int) -> ATURI { Self.uri(ofList: list, of: dids[lists[list].owner]) }

  private static func uri(ofList list: Int, of owner: DID) -> ATURI {
    Identities.uri(owner, App.Bsky.Graph.List.nsid, microseconds: UInt64(list))
  }

  func index(ofList uri: ATURI) -> Int? { indexesByList[uri] }

  /// The lists of an account, oldest first.
  func lists(of owner: Int) -> [Int] { listsByOwner[owner] ?? [] }

  /// The status of an account.
  typealias Status = SandboxAccount.Status

  func status(at index: Int) -> Status {
    NamedAccount(rawValue: index)?.status ?? GeneratedProfile(index: index, seed: configuration.seed).status
  }

  /// Whether a word of the account's name starts with this lower-case text.
  func isNamed(_ text: Substring, at index: Int) -> Bool {
    guard let member = NamedAccount(rawValue: index) else {
      return !isBot(index) && GeneratedProfile(index: index, seed: configuration.seed).isNamed(text)
    }
    return member.displayName.lowercased().split(separator: " ").contains { $0.hasPrefix(text) }
  }

  func account(at index: Int) -> SandboxAccount {
    let member = NamedAccount(rawValue: index)
    let stranger = GeneratedProfile(index: index, seed: configuration.seed)
    let isBot = isBot(index)
    return SandboxAccount(
      did: dids[index], handle: handles[index],
      displayName: isBot ? "" : member?.displayName ?? stranger.displayName,
      biography: isBot ? "" : member?.biography ?? stranger.biography,
      status: member?.status ?? stranger.status,
      createdAt: Identities.createdAt(of: index, among: dids.count), password: password(at: index))
  }
}
