// SPDX-License-Identifier: Apache-2.0

import KithCore

/// Bytes that are in memory already: what a page has received, or a program has made.
public final class InMemorySource: ByteSource {
  public let name: String
  public let isSlow = false
  public let isTyped = false
  private let bytes: [UInt8]
  private let isRead = PosixMutex(false)

  /// - Parameter name: the name in messages.
  public init(_ bytes: [UInt8], named name: String) { (self.bytes, self.name) = (bytes, name) }

  /// - Parameter name: the name in messages.
  public convenience init(_ text: String, named name: String) { self.init(Array(text.utf8), named: name) }

  public var copy: (any ByteSource)? { InMemorySource(bytes, named: name) }

  /// All bytes, once.
  public func next() async throws -> [UInt8] {
    let wasRead = isRead.withLock { isRead in
      defer { isRead = true }
      return isRead
    }
    return wasRead ? [] : bytes
  }
}
