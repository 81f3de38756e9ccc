// SPDX-License-Identifier: Apache-2.0

/// What a call sends that nobody may read in an error or a log: a server may quote it back, and some do.
///
/// Never shown itself, as ``SessionToken`` is not.
struct HiddenSecrets: Sendable {
  /// Stands for what was taken out.
  private static let replacement = "…"
  /// A piece of a long secret that is this long goes too: servers break lines and shorten what they quote.
  private static let shortestPiece = 8
  /// Secrets from this length on are taken out in pieces. A shorter one may be a few plain words, whose pieces
  /// stand in harmless sentences.
  private static let leastLong = 16

  private let secrets: [String]

  /// Takes tokens and passwords; what is nil or empty is no secret.
  init(_ secrets: [String?]) {
    self.secrets = secrets.compactMap(\.self).filter { !$0.isEmpty }
  }

  /// Whether there is nothing to hide.
  var isEmpty: Bool { secrets.isEmpty }

  /// The text without the secrets.
  func clean(_ text: String) -> String { secrets.reduce(text) { Self.clean($0, of: $1) } }

  /// By bytes, for a mark that follows makes another character of the secret's last one.
  private static func clean(_ text: String, of secret: String) -> String {
    let (bytes, secret) = (Array(text.utf8), Array(secret.utf8))
    let length = secret.count < leastLong ? secret.count : shortestPiece
    let pieces = Set(windows(of: length, in: secret))
    var cleaned: [UInt8] = []
    // What lies before is dealt with, and what lies before that is part of a piece.
    var (position, hiddenUntil) = (0, 0)
    for window in windows(of: length, in: bytes) {
      if pieces.contains(window) {
        if position >= hiddenUntil { cleaned += replacement.utf8 }
        hiddenUntil = position + length
      }
      if position >= hiddenUntil { cleaned.append(bytes[position]) }
      position += 1
    }
    guard hiddenUntil > 0 else { return text }
    cleaned += bytes[max(position, hiddenUntil)...]
    return String(decoding: cleaned, as: UTF8.self)
  }

  /// All runs of so many bytes, fewer than ``leastLong``, each as a number.
  private static func windows(of length: Int, in bytes: [UInt8]) -> [UInt128] {
    let mask = UInt128.max >> (128 - 8 * length)
    var window: UInt128 = 0
    var windows: [UInt128] = []
    windows.reserveCapacity(bytes.count)
    for (position, byte) in bytes.enumerated() {
      window = (window << 8 | UInt128(byte)) & mask
      if position >= length - 1 { windows.append(window) }
    }
    return windows
  }
}

extension HiddenSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "secrets" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
