// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An IP address, and whether it belongs to the public internet.
enum IPAddress: Hashable, CustomStringConvertible {
  case v4(UInt32)
  /// The upper and the lower 64 bits.
  case v6(UInt64, UInt64)

  /// Parses the usual notations, without a zone.
  init?(_ text: String) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, text, &v4) == 1 {
      self.init(v4)
    } else if inet_pton(AF_INET6, text, &v6) == 1 {
      self.init(v6)
    } else {
      return nil
    }
  }

  /// Reads an IPv4 address in network order.
  init(_ address: in_addr) {
    self = .v4(UInt32(bigEndian: address.s_addr))
  }

  /// Reads an IPv6 address in network order.
  init(_ address: in6_addr) {
    self = withUnsafeBytes(of: address) { bytes in
      .v6(
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  /// Whether the address is outside of all special-purpose ranges.
  ///
  /// The ranges are those that the IANA registries list as not globally reachable:
  /// <https://www.iana.org/assignments/iana-ipv4-special-registry> and
  /// <https://www.iana.org/assignments/iana-ipv6-special-registry>. An IPv6 address that embeds an IPv4
  /// address is public if that one is.
  var isPublic: Bool {
    switch self {
    case .v4(let address):
      return !Self.special4.contains { range in
        (address ^ range.prefix) >> (32 - range.length) == 0
      }
    case .v6(let upper, let lower):
      if let embedded = Self.embedded4(upper, lower) { return IPAddress.v4(embedded).isPublic }
      // Only 2000::/3 is allocated, except for some blocks in it.
      guard upper >> 61 == 0b001 else { return false }
      return !Self.special6.contains { range in
        (upper ^ range.prefix) >> (64 - range.length) == 0
      }
    }
  }

  /// The embedded IPv4 address, or the address itself.
  var embedded: IPAddress {
    guard case .v6(let upper, let lower) = self, let address = Self.embedded4(upper, lower) else {
      return self
    }
    return .v4(address)
  }

  /// Whether the first bits equal those of another address of the same family; nil for all bits.
  func shares(bits: Int?, with other: IPAddress) -> Bool {
    switch (self, other) {
    case (.v4(let own), .v4(let its)):
      return (own ^ its).leadingZeroBitCount >= bits ?? 32
    case (.v6(let upper, let lower), .v6(let itsUpper, let itsLower)):
      let same = (upper ^ itsUpper).leadingZeroBitCount
      return (same < 64 ? same : 64 + (lower ^ itsLower).leadingZeroBitCount) >= bits ?? 128
    default: return false
    }
  }

  private static let special4: [(prefix: UInt32, length: UInt32)] = [
    (0x0000_0000, 8),  // this network
    (0x0a00_0000, 8),  // private
    (0x6440_0000, 10),  // shared by carriers (CGNAT)
    (0x7f00_0000, 8),  // loopback
    (0xa9fe_0000, 16),  // link-local
    (0xac10_0000, 12),  // private
    (0xc000_0000, 24),  // protocol assignments
    (0xc000_0200, 24),  // documentation
    (0xc058_6300, 24),  // 6to4 relays, withdrawn
    (0xc0a8_0000, 16),  // private
    (0xc612_0000, 15),  // benchmarks
    (0xc633_6400, 24),  // documentation
    (0xcb00_7100, 24),  // documentation
    (0xe000_0000, 4),  // multicast
    (0xf000_0000, 4),  // reserved, broadcast
  ]

  private static let special6: [(prefix: UInt64, length: UInt64)] = [
    (0x2001_0000_0000_0000, 23),  // protocol assignments: Teredo, benchmarks, ORCHID
    (0x2001_0db8_0000_0000, 32),  // documentation
    (0x3fff_0000_0000_0000, 20),  // documentation
  ]

  /// The IPv4 address embedded in an IPv6 address: mapped, compatible, NAT64 or 6to4.
  private static func embedded4(_ upper: UInt64, _ lower: UInt64) -> UInt32? {
    let tail = UInt32(truncatingIfNeeded: lower)
    switch (upper, lower >> 32) {
    case (0, 0xffff): return tail
    case (0, 0): return tail
    case (0x0064_ff9b_0000_0000, 0): return tail
    case (_, _) where upper >> 48 == 0x2002: return UInt32(truncatingIfNeeded: upper >> 16)
    default: return nil
    }
  }

  var description: String {
    switch self {
    case .v4(let address):
      return "\(address >> 24).\(address >> 16 & 255).\(address >> 8 & 255).\(address & 255)"
    case .v6(let upper, let lower):
      let groups = [upper, lower].flatMap { half in [48, 32, 16, 0].map { half >> UInt64($0) & 0xffff } }
      return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
  }
}
