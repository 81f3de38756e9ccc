// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithCrypto
internal import KithRelationships

/// What identifies new records by their content, before they have URIs. Two jobs that make the same are known by it.
package struct DraftsDigest: Sendable, Hashable {
  /// The SHA-256 of the records without their dates, in hexadecimal digits.
  package let digits: String

  package init(digits: String) { self.digits = digits }

  init(of drafts: [RecordDraft]) {
    // Journals of released versions have digests of posts: without those that say who may answer, and without the fields
    // that name other posts of the thread.
    let counted = drafts.filter { ![.threadgate, .postgate].contains($0.collection) }
    let records = counted.map { draft in
      var draft = draft
      if draft.collection == .post {
        for reference in draft.references { draft.fields[reference.path.first ?? ""] = nil }
        draft.references = []
      }
      return draft.record(createdAt: Datetime(at: .epoch)) { .integer(Int64($0.draft)) }
    }
    let content = DataValue.array(records)
    digits = SHA256.digits(of: content.dagCBOR ?? Array("\(content)".utf8))
  }
}
