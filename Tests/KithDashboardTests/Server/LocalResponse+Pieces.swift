// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import TestSupport

extension LocalResponse {
  /// The pieces of the body, which one that is not streamed has one of.
  var pieces: [String] {
    get async throws {
      guard case .streamed(let handler) = delivery else { return [String(decoding: body, as: UTF8.self)] }
      let heard = PosixMutex<[String]>([])
      try await handler.run { bytes in heard.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }
      return heard.withLock(\.self)
    }
  }

  /// The whole body.
  var page: String { get async throws { try await pieces.joined() } }
}
