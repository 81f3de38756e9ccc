// SPDX-License-Identifier: Apache-2.0

public import KithCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Why an account may be of interest: those between it and an actor.
public struct Closeness: Sendable, Hashable {
  /// What an actor and an account have in common.
  public enum Hub: Sendable, Hashable {
    /// An account that the actor follows, and that follows the account.
    case account(DID)
    /// A list, or the list of a starter pack, on which both are, or one of the actor's own.
    case list(ATURI)
  }

  /// How many accounts that the actor follows follow the account.
  public fileprivate(set) var paths = 0
  /// The Adamic-Adar index: the sum of 1/ln(degree) over all hubs, where the degree is how many accounts a hub follows or
  /// contains. A hub that follows few says more than one that follows thousands.
  public fileprivate(set) var score = 0.0
  /// The hubs with the highest weight, at most eight, lists first.
  public fileprivate(set) var hubs: [Hub] = []
}

/// The accounts at a distance of two from an actor, with all paths to them.
///
/// Holds four bytes for each path and about 60 for each account.
package struct NeighbourGraph: Sendable {
  /// The most hubs that are named for an account.
  package static let mostHubs = 8

  /// The order of accounts.
  package enum Order: Sendable {
    /// Those with the highest score first.
    case score
    /// Those with the most paths first.
    case paths
  }

  private struct Node: Sendable {
    let hub: Closeness.Hub
    let weight: Double
    let edges: Range<Int>

    var isAccount: Bool { if case .account = hub { true } else { false } }
  }

  private var numbers: [DID: Int32] = [:]
  private var accounts: [DID] = []
  private var nodes: [Node] = []
  private var edges: [Int32] = []

  /// The number of paths.
  package var pathCount: Int { edges.count }

  /// Creates an empty graph.
  package init() {}

  /// Adds a hub with its accounts; one that comes twice counts once.
  ///
  /// - Parameter degree: how many accounts it follows or contains in all; at least as many as were read.
  package mutating func add(_ hub: Closeness.Hub, _ members: some Sequence<DID>, degree: Int) {
    let start = edges.count
    var seen: Set<Int32> = []
    for member in members {
      let number = number(of: member)
      if seen.insert(number).inserted { edges.append(number) }
    }
    let degree = max(degree, edges.count - start)
    // A hub with a single account would weigh infinitely much.
    nodes.append(Node(hub: hub, weight: 1 / log(Double(max(2, degree))), edges: start..<edges.count))
  }

  private mutating func number(of account: DID) -> Int32 {
    if let known = numbers[account] { return known }
    let number = Int32(accounts.count)
    numbers[account] = number
    accounts.append(account)
    return number
  }

  /// The closest accounts, in order; those that are equal in it in the order of their DIDs.
  ///
  /// - Parameter excluded: accounts to leave out: those that are followed already, and the actor.
  package func closest(
    _ most: Int, by order: Order, excluding excluded: Set<DID>
  ) -> [(account: DID, closeness: Closeness)] {
    var scores = [Double](repeating: 0, count: accounts.count)
    var paths = [Int32](repeating: 0, count: accounts.count)
    for node in nodes {
      for place in node.edges {
        let account = Int(edges[place])
        scores[account] += node.weight
        if node.isAccount { paths[account] += 1 }
      }
    }
    func isBefore(_ one: Int32, _ other: Int32) -> Bool {
      let (one, other) = (Int(one), Int(other))
      switch order {
      case .score:
        if scores[one] != scores[other] { return scores[one] > scores[other] }
        if paths[one] != paths[other] { return paths[one] > paths[other] }
      case .paths:
        if paths[one] != paths[other] { return paths[one] > paths[other] }
        if scores[one] != scores[other] { return scores[one] > scores[other] }
      }
      return accounts[one] < accounts[other]
    }
    let left = Set(excluded.compactMap { numbers[$0] })
    var wanted = accounts.indices.map { Int32($0) }.filter { account in
      !left.contains(account) && (order == .score || paths[Int(account)] > 0)
    }
    wanted.sort(by: isBefore)
    let chosen = wanted.prefix(max(0, most))
    var closest = Dictionary(uniqueKeysWithValues: chosen.map { ($0, Closeness()) })
    for account in chosen {
      closest[account]?.score = scores[Int(account)]
      closest[account]?.paths = Int(paths[Int(account)])
    }
    // Lists first, then the hubs with the highest weight.
    for node in nodes.sorted(by: { ($0.isAccount ? 1 : 0, $1.weight) < ($1.isAccount ? 1 : 0, $0.weight) }) {
      for place in node.edges {
        let account = edges[place]
        guard let known = closest[account]?.hubs.count, known < Self.mostHubs else { continue }
        closest[account]?.hubs.append(node.hub)
      }
    }
    return chosen.map { (accounts[Int($0)], closest[$0] ?? Closeness()) }
  }
}
