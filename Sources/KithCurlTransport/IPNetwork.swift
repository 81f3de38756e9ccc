// SPDX-License-Identifier: Apache-2.0

/// A block of addresses that share their first bits.
struct IPNetwork: Hashable {
  private let address: IPAddress
  /// The number of bits; nil for a single address.
  private let bits: Int?

  /// The network of an interface with an address and a mask.
  ///
  /// A mask that is missing, or shorter than that of any local network (tunnels have such), stands for the
  /// address alone: otherwise half of the internet would count as connected.
  init(_ address: IPAddress, mask: IPAddress?) {
    self.address = address
    bits =
      switch (address, mask) {
      case (.v4, .v4(let mask)?): Self.local(mask.leadingOnes, atLeast: 8)
      case (.v6, .v6(let upper, let lower)?):
        Self.local(upper == .max ? 64 + lower.leadingOnes : upper.leadingOnes, atLeast: 32)
      default: nil
      }
  }

  /// Whether an address, or the IPv4 address embedded in it, belongs to the network.
  func contains(_ other: IPAddress) -> Bool {
    other.shares(bits: bits, with: address) || other.embedded.shares(bits: bits, with: address)
  }

  private static func local(_ bits: Int, atLeast least: Int) -> Int? { bits < least ? nil : bits }
}

extension FixedWidthInteger {
  fileprivate var leadingOnes: Int { (~self).leadingZeroBitCount }
}
