// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import TestSupport

/// Small files, and the addresses that they are served at.
enum PictureSamples {
  static let png = bytes(
    """
    iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==
    """)
  static let webp = bytes("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
  static let jpeg = bytes(
    """
    /9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP////////////////////////////////////////////////////////////////////////////////\
    //////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=
    """)
  static let gif = bytes("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==")

  static let cid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
  /// An address of Bluesky's CDN, which names its content.
  static let avatar = avatar(at: cid)

  static func avatar(at cid: String) -> String {
    "https://cdn.bsky.app/img/avatar/plain/\(Accounts.did(1))/\(cid)@jpeg"
  }

  /// An address of a file that differs from the others in its content.
  static func avatar(_ number: Int) throws -> String {
    avatar(at: "\(try CID(bytes: [1, 0x55, 0x12, 32] + Array(repeating: UInt8(number), count: 32)))")
  }

  private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }
}

extension TransportResponse {
  /// Returns a file as a server of pictures does.
  static func file(_ bytes: [UInt8], type: String = "image/jpeg", status: Int = 200) -> TransportResponse {
    var head = HTTPResponse(status: .init(code: status))
    head.headerFields[.contentType] = type
    return TransportResponse(head: head, body: bytes)
  }
}
