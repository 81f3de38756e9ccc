// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithCrypto
internal import KithPosts

/// What identifies posts by their content, before they have URIs. Two jobs that publish the same are known by it.
package struct PostsDigest: Sendable, Hashable {
  /// The SHA-256 of the records without their dates, in hexadecimal digits.
  package let digits: String

  package init(digits: String) { self.digits = digits }

  init(of drafts: [PostDraft]) {
    let records = drafts.map { draft in
      (try? draft.record(createdAt: Datetime(at: .epoch))) ?? .string(draft.text.text)
    }
    let content = DataValue.array(records)
    digits = SHA256.hash(of: content.dagCBOR ?? Array("\(content)".utf8)).map {
      ($0 < 16 ? "0" : "") + String($0, radix: 16)
    }.joined()
  }
}
