// SPDX-License-Identifier: Apache-2.0

internal import KithPosts

/// A picture that browsers may be given.
package struct FetchedPicture: Sendable, Hashable {
  package let bytes: [UInt8]
  /// `image/jpeg`, `image/png` or `image/webp`, as its first bytes say.
  package let mimeType: String

  /// Nil for a file of any other type.
  init?(_ file: [UInt8]) {
    guard let kind = Picture.kind(of: file) else { return nil }
    (bytes, mimeType) = (file, kind.mimeType)
  }
}
