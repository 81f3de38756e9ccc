// SPDX-License-Identifier: Apache-2.0

/// Reads compressed data (zlib, RFC 1950 and 1951), to find its end or its content. Untrusted: nothing is read beyond the end, and
/// no more is written than was asked for.
struct Inflater {
  private struct Fault: Error {}

  /// The codes of each length, and the symbols in the order of their codes.
  private struct Codes {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int]

    init(lengths: some Collection<Int>) {
      symbols = [Int](repeating: 0, count: lengths.count)
      for length in lengths { counts[length] += 1 }
      var offsets = [0, 0]
      for length in 1..<15 { offsets.append(offsets[length] + counts[length]) }
      for (symbol, length) in lengths.enumerated() where length > 0 {
        symbols[offsets[length]] = symbol
        offsets[length] += 1
      }
      counts[0] = 0
    }
  }

  private let input: [UInt8]
  private var place = 0
  private var bits = 0
  private var bitCount = 0
  /// What was written, if it is kept, and how much it is.
  private var output: [UInt8]?
  private var count = 0
  private let most: Int

  private init(_ input: [UInt8], most: Int?) {
    (self.input, self.most, output) = (input, most ?? .max, most == nil ? nil : [])
  }

  /// Where compressed data ends; nil if it does not.
  static func end(of data: [UInt8]) -> Int? {
    var inflater = Inflater(data, most: nil)
    guard (try? inflater.run()) != nil else { return nil }
    return inflater.place
  }

  /// The content of compressed data; nil if it is damaged, or has more bytes.
  static func inflated(_ data: [UInt8], most: Int) -> [UInt8]? {
    var inflater = Inflater(data, most: most)
    guard (try? inflater.run()) != nil else { return nil }
    return inflater.output
  }

  /// Data in the same form, without compression.
  static func stored(_ data: [UInt8]) -> [UInt8] {
    var stored: [UInt8] = [0x78, 0x01]
    var rest = data[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      let length = [UInt8(block.count & 0xFF), UInt8(block.count >> 8)]
      stored += [rest.isEmpty ? 1 : 0] + length + length.map(~) + block
    } while !rest.isEmpty
    var (low, high) = (1, 0)
    for byte in data {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stored + [UInt8](bigEndian: high << 16 | low)
  }

  private mutating func run() throws(Fault) {
    guard input.count > 2, input[0] & 0x0F == 8, input.prefix(2).bigEndian % 31 == 0, input[1] & 0x20 == 0
    else { throw Fault() }
    place = 2
    var isLast = false
    while !isLast {
      isLast = try number(bits: 1) == 1
      switch try number(bits: 2) {
      case 0: try copyStored()
      case 1: try decode(Self.fixed, Self.fixedDistances)
      case 2:
        let (codes, distances) = try dynamicCodes()
        try decode(codes, distances)
      default: throw Fault()
      }
    }
    // The checksum.
    guard input.count - place >= 4 else { throw Fault() }
    place += 4
  }

  private mutating func number(bits wanted: Int) throws(Fault) -> Int {
    while bitCount < wanted {
      guard place < input.count else { throw Fault() }
      bits |= Int(input[place]) << bitCount
      place += 1
      bitCount += 8
    }
    defer {
      bits >>= wanted
      bitCount -= wanted
    }
    return bits & (1 << wanted - 1)
  }

  private mutating func symbol(_ codes: Codes) throws(Fault) -> Int {
    var (code, first, index) = (0, 0, 0)
    for length in 1..<16 {
      code |= try number(bits: 1)
      let count = codes.counts[length]
      if code - count < first { return codes.symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw Fault()
  }

  private mutating func write(_ byte: UInt8) throws(Fault) {
    guard count < most else { throw Fault() }
    output?.append(byte)
    count += 1
  }

  private mutating func copyStored() throws(Fault) {
    (bits, bitCount) = (0, 0)
    guard input.count - place >= 4 else { throw Fault() }
    let length = input[place..<place + 2].littleEndian
    guard input[place + 2..<place + 4].littleEndian == ~length & 0xFFFF, input.count - place - 4 >= length
    else { throw Fault() }
    place += 4
    for byte in input[place..<place + length] { try write(byte) }
    place += length
  }

  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227,
    258,
  ]
  private static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025, 1_537, 2_049, 3_073,
    4_097, 6_145, 8_193, 12_289, 16_385, 24_577,
  ]

  private mutating func decode(_ codes: Codes, _ distances: Codes) throws(Fault) {
    while true {
      let symbol = try symbol(codes)
      if symbol == 256 { return }
      if symbol < 256 {
        try write(UInt8(symbol))
        continue
      }
      let place = symbol - 257
      guard place < Self.lengthBases.count else { throw Fault() }
      let lengthBits = place < 8 || place == 28 ? 0 : (place - 4) / 4
      let length = Self.lengthBases[place] + (try number(bits: lengthBits))
      let distance = try distance(distances)
      guard distance <= count else { throw Fault() }
      if output == nil {
        count += length
      } else {
        for _ in 0..<length { try write(output?[count - distance] ?? 0) }
      }
    }
  }

  private mutating func distance(_ codes: Codes) throws(Fault) -> Int {
    let symbol = try symbol(codes)
    guard symbol < Self.distanceBases.count else { throw Fault() }
    return Self.distanceBases[symbol] + (try number(bits: symbol < 4 ? 0 : symbol / 2 - 1))
  }

  private static let fixed = Codes(
    lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  private static let fixedDistances = Codes(lengths: [Int](repeating: 5, count: 30))
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  private mutating func dynamicCodes() throws(Fault) -> (Codes, Codes) {
    let literals = try number(bits: 5) + 257
    let distances = try number(bits: 5) + 1
    let count = try number(bits: 4) + 4
    var lengths = [Int](repeating: 0, count: 19)
    for place in Self.order.prefix(count) { lengths[place] = try number(bits: 3) }
    let codes = Codes(lengths: lengths)
    lengths = []
    while lengths.count < literals + distances {
      let symbol = try symbol(codes)
      if symbol < 16 {
        lengths.append(symbol)
        continue
      }
      guard symbol > 16 || !lengths.isEmpty else { throw Fault() }
      let length = symbol == 16 ? lengths[lengths.count - 1] : 0
      let repeats =
        symbol == 16
        ? try number(bits: 2) + 3 : symbol == 17 ? try number(bits: 3) + 3 : try number(bits: 7) + 11
      lengths += [Int](repeating: length, count: repeats)
    }
    guard lengths.count == literals + distances, literals <= 286 else { throw Fault() }
    return (Codes(lengths: lengths[..<literals]), Codes(lengths: lengths[literals...]))
  }
}
