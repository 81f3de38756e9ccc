// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// The pictures of accounts: those that they have published, and for the others patterns of squares, each account its own,
/// drawn when they are asked for.
///
/// Addresses are built like those of Bluesky's: `/img/avatar/plain/DID/CID@png`.
enum SandboxPicture {
  private static let folder = "/img/avatar/plain/"
  private static let end = "@png"
  /// Squares in a row; the right half mirrors the left one.
  private static let squares = 5
  /// Pixels of a square.
  private static let side = 16
  private static let size = squares * side

  static func address(of file: CID, by owner: DID, at url: String) -> String {
    "\(url)\(folder)\(owner)/\(file)\(end)"
  }

  static func isPicture(path: String) -> Bool { path.hasPrefix(folder) && path.hasSuffix(end) }

  /// - Throws: ``XRPCFault`` if the path names no account and file.
  static func answer(_ request: LocalRequest, from live: LiveNetwork) throws(XRPCFault) -> LocalResponse {
    let parts = request.path.dropFirst(folder.count).dropLast(end.count).split(separator: "/")
    guard ["GET", "HEAD"].contains(request.method), parts.count == 2, let owner = DID(String(parts[0])),
      let cid = CID(String(parts[1]))
    else {
      throw XRPCFault(status: 404, name: "NotFound", message: "there is no picture at this address")
    }
    if let account = live.standings.index(of: .did(owner)),
      let file = try live.withState({ (state, _) throws(XRPCFault) in state.files.file(cid, of: account) })
    {
      return LocalResponse(contentType: file.mimeType, body: file.bytes)
    }
    return LocalResponse(contentType: "image/png", body: png(of: String(parts[1])))
  }

  /// A PNG of two colours. Specification: PNG, third edition; RFC 1950 and 1951 for its data, which is not compressed.
  static func png(of name: String) -> [UInt8] {
    // FNV-1a: any change of the name changes all bits.
    let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let rows = (0..<size).flatMap { y -> [UInt8] in
      var row = [UInt8](repeating: 0, count: 1 + size / 8)
      for x in 0..<size {
        let column = min(x / side, squares - 1 - x / side)
        let isSet = hash >> UInt64(20 + (y / side) * 3 + column) & 1 == 1
        if isSet { row[1 + x / 8] |= 0x80 >> UInt8(x % 8) }
      }
      return row
    }
    let length = UInt16(rows.count)
    let data =
      [0x78, 0x01, 0x01] + bytes(length).reversed() + bytes(~length).reversed() + rows + bytes(adler(rows))
    let ground: [UInt8] = [0xE7, 0xEC, 0xF1]
    let colour = (0..<3).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) / 2 + 40 }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", bytes(UInt32(size)) + bytes(UInt32(size)) + [1, 3, 0, 0, 0])
      + chunk("PLTE", ground + colour) + chunk("IDAT", data) + chunk("IEND", [])
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let content = Array(type.utf8) + data
    return bytes(UInt32(data.count)) + content + bytes(crc(content))
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0 as UInt32) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
  }

  private static func adler(_ bytes: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return high << 16 | low
  }
}
