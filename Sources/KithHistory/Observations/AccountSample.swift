// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A deterministic sample of accounts, chosen by hash of the DID: the same accounts every time, and a
/// larger sample contains every smaller one.
public struct AccountSample: Sendable, Hashable {
  /// Accounts with a hash up to this value are chosen, from 0 to `Int64.max` for all of them: the form in
  /// which a store keeps a sample.
  public let largest: Int64

  /// Chooses about `size` accounts of a population, or all if there are not more.
  public init(_ size: Int, of population: Int) {
    largest =
      size >= population
      ? .max : Int64(Double(max(0, size)) / Double(population) * 9_223_372_036_854_774_784)
  }

  /// Restores a sample from its largest hash.
  public init(largest: Int64) { self.largest = largest }

  /// A sample of everyone.
  public static let all = AccountSample(largest: .max)

  /// Whether an account is in the sample.
  public func contains(_ account: DID) -> Bool { largest == .max || Self.hash(of: account) <= largest }

  /// The hash that decides: the accounts with the smallest ones are a sample.
  static func hash(of account: DID) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    for byte in account.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9  // SplitMix64: FNV mixes the upper bits poorly.
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int64((hash ^ (hash >> 31)) >> 1)
  }
}
