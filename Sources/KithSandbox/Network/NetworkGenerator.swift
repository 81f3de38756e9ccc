// SPDX-License-Identifier: Apache-2.0

/// Generates the records of a network: those of the cast as written, all others from the seed.
struct NetworkGenerator {
  /// Pairs of accounts or lists, the first one in the high half.
  typealias Pairs = [UInt64]

  let accounts: Int
  let meanFollows: Int
  private(set) var lists = NetworkList.Plot.allCases.map {
    NetworkList(owner: $0.owner.rawValue, name: $0.name, purpose: $0.purpose)
  }
  private(set) var follows: Pairs = []
  private(set) var blocks: Pairs = []
  private(set) var listBlocks: Pairs = []
  private(set) var listItems: Pairs = []
  private var random: SplitMix64

  private static let cast = NamedAccount.allCases.count
  private var strangers: Int { accounts - Self.cast }

  init(accounts: Int, meanFollows: Int, random: SplitMix64) {
    self.accounts = accounts
    self.meanFollows = meanFollows
    self.random = random
    writeCast()
    guard strangers > 0 else { return }
    introduceCast()
    for stranger in Self.cast..<accounts { follow(as: stranger) }
    quarrel()
    makeLists()
  }

  private static func pair(_ from: Int, _ to: Int) -> UInt64 { UInt64(from) << 32 | UInt64(to) }

  private mutating func writeCast() {
    follows = NamedAccount.follows.map { Self.pair($0.rawValue, $1.rawValue) }
    blocks = NamedAccount.blocks.map { Self.pair($0.rawValue, $1.rawValue) }
    listBlocks = NamedAccount.listBlocks.map { Self.pair($0.rawValue, $1.rawValue) }
    listItems = NamedAccount.listItems.map { Self.pair($0.rawValue, $1.rawValue) }
  }

  /// Adds follows between the cast and the strangers.
  private mutating func introduceCast() {
    for member in NamedAccount.allCases {
      for stranger in someStrangers(member.strangers.followed) {
        follows.append(Self.pair(member.rawValue, stranger))
      }
      for stranger in someStrangers(member.strangers.followers) {
        follows.append(Self.pair(stranger, member.rawValue))
      }
    }
  }

  /// Adds the follows of a stranger: mostly a few, of popular accounts; one in four is mutual.
  private mutating func follow(as stranger: Int) {
    // Twice the square of a fraction is two thirds on average; the busy accounts make up for the rest.
    let fraction = random.nextFraction()
    var count = Int(2 * fraction * fraction * Double(meanFollows))
    if random.next(below: 50) == 0 { count *= 10 }
    for _ in 0..<min(count, strangers / 2) {
      let other = popularStranger()
      guard other != stranger else { continue }
      follows.append(Self.pair(stranger, other))
      if random.next(below: 4) == 0 { follows.append(Self.pair(other, stranger)) }
    }
  }

  /// Adds blocks between strangers; one in two is of an account that the blocker follows (Q5, Q11).
  private mutating func quarrel() {
    let followed = follows.count
    for stranger in Self.cast..<accounts where random.next(below: 3) == 0 {
      let other = Self.cast + random.next(below: strangers)
      if other != stranger { blocks.append(Self.pair(stranger, other)) }
      let follow = follows[random.next(below: followed)]
      let (from, to) = (Int(follow >> 32), Int(follow & 0xFFFF_FFFF))
      if from >= Self.cast, to >= Self.cast { blocks.append(follow) }
    }
  }

  /// Fills the cast's lists, makes some strangers block the first one, and gives some strangers lists of
  /// their own.
  private mutating func makeLists() {
    for plot in NetworkList.Plot.allCases {
      listItems += someStrangers(plot.strangers).map { Self.pair(plot.rawValue, $0) }
    }
    let readers = listItems.filter { $0 >> 32 == NetworkList.Plot.readers.rawValue }.map {
      Int($0 & 0xFFFF_FFFF)
    }
    listItems += readers.filter { $0 >= Self.cast }.prefix(100).map {
      Self.pair(NetworkList.Plot.pack.rawValue, $0)
    }
    for stranger in Self.cast..<accounts {
      if stranger % 20 == 0 { listBlocks.append(Self.pair(stranger, NetworkList.Plot.spam.rawValue)) }
      guard stranger % 100 == 0 else { continue }
      let list = lists.count
      lists.append(NetworkList(owner: stranger, name: "People I know", purpose: .curation))
      listItems += someStrangers(30).map { Self.pair(list, $0) }
    }
  }

  /// A stranger chosen by popularity: the most popular one in about 1/∛n of all choices.
  private mutating func popularStranger() -> Int {
    let fraction = random.nextFraction()
    let rank = Int(fraction * fraction * fraction * Double(strangers))
    // 7,919 is prime, so the ranks are spread over all strangers, unless their number is a multiple of it.
    return Self.cast + (rank * 7_919 + 17) % strangers
  }

  /// This many distinct strangers, or all.
  private mutating func someStrangers(_ count: Int) -> [Int] {
    guard count < strangers else { return Array(Self.cast..<accounts) }
    var chosen: Set<Int> = []
    var order: [Int] = []
    while order.count < count {
      let stranger = Self.cast + random.next(below: strangers)
      if chosen.insert(stranger).inserted { order.append(stranger) }
    }
    return order
  }
}
