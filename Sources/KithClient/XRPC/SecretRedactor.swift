// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The secrets of a call, which must not appear in an error or a log: servers may quote them back, and some
/// do.
///
/// Its own descriptions do not show them either, as with ``SessionToken``.
struct SecretRedactor: Sendable {
  /// Replaces a removed secret, and a text that quotes a password.
  private static let replacement = "…"
  /// The message in place of a text that quotes a password.
  static let withheld = "the server's text is not shown, because it may quote the password"
  /// Pieces of a token of at least this length are removed too: servers break lines and shorten what they
  /// quote.
  private static let shortestPiece = 8

  private let tokens: [String]
  private let passwords: [QuotedSecret]

  /// Creates a value; nil and empty strings are ignored.
  ///
  /// - Parameters:
  ///   - tokens: Parts of them do not occur in text by chance, so parts are removed as well.
  ///   - passwords: What people choose can be recognized from a part or another form, so a text that quotes
  ///     any is removed as a whole.
  init(tokens: [String?] = [], passwords: [String?] = []) {
    self.tokens = tokens.compactMap(\.self).filter { !$0.isEmpty }
    self.passwords = passwords.compactMap(\.self).compactMap(QuotedSecret.init)
  }

  /// Whether there is nothing to hide.
  var isEmpty: Bool { tokens.isEmpty && passwords.isEmpty }

  /// Returns the text without the tokens; nothing of it if it quotes a password.
  func clean(_ text: String) -> String {
    quotesPassword(in: text) ? Self.replacement : tokens.reduce(text) { Self.clean($0, of: $1) }
  }

  /// Whether a text contains a part of a password, in any form.
  func quotesPassword(in text: String) -> Bool { passwords.contains { $0.occurs(in: text) } }

  /// Returns the name without the secrets; names of the protocol are not a server's own words.
  func clean(_ name: XRPCErrorName) -> XRPCErrorName {
    Self.names.contains(name.rawValue) ? name : XRPCErrorName(rawValue: clean(name.rawValue))
  }

  /// The names that decide what happens next, and those of every server.
  private static let names: Set<String> = [
    "AccountDeactivated", "AccountSuspended", "AccountTakedown", "AuthFactorTokenRequired",
    "AuthenticationRequired", "ExpiredToken", "InternalServerError", "InvalidRequest", "InvalidToken",
    "RateLimitExceeded",
  ]

  private static func clean(_ text: String, of token: String) -> String {
    let (bytes, token) = (Array(text.utf8), Array(token.utf8))
    let length = min(token.count, shortestPiece)
    let pieces = Set(windows(of: length, in: token))
    var cleaned: [UInt8] = []
    // The bytes before `position` are processed; those before `hiddenUntil` are part of a removed piece.
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

  /// Returns all runs of this many bytes, at most ``shortestPiece``, each as a number.
  private static func windows(of length: Int, in bytes: [UInt8]) -> [UInt64] {
    let mask = UInt64.max >> (64 - 8 * length)
    var window: UInt64 = 0
    var windows: [UInt64] = []
    windows.reserveCapacity(bytes.count)
    for (position, byte) in bytes.enumerated() {
      window = (window << 8 | UInt64(byte)) & mask
      if position >= length - 1 { windows.append(window) }
    }
    return windows
  }
}

extension SecretRedactor: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "secrets" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
