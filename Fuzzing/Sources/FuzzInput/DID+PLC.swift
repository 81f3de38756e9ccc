// SPDX-License-Identifier: Apache-2.0

import KithCore

extension DID {
  /// Stands for the one that Kith's own targets have among themselves.
  init?(plc bytes: UnsafeBufferPointer<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("did:plc:") else { return nil }
    self.init(text)
  }
}
