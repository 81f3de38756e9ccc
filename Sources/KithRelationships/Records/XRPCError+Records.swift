// SPDX-License-Identifier: Apache-2.0

package import KithClient
internal import KithCore

/// How servers report missing records, by name or, if they have none (table of PDSes), by message.
extension XRPCError {
  /// Whether the PDS itself reports that it has no such record.
  ///
  /// A proxy's page proves nothing about a record, nor does a PDS that does not know the repository (Q18).
  package var saysNoSuchRecord: Bool {
    guard code == .refused, status == 400 || status == 404 else { return false }
    if name?.rawValue == "RecordNotFound" { return true }
    guard name == nil || name?.rawValue == "InvalidRequest" else { return false }
    return plainWords { words in
      words.contains("record")
        && ["no such", "not found", "locate", "not find", "n't find", "not exist", "n't exist"]
          .contains { words.contains($0) }
    }
  }

  /// Applies a test to a plain-text message: an HTML page does not come from the server itself.
  package func plainWords(_ say: (String) -> Bool) -> Bool {
    let words = message.lowercased()
    return !words.hasPrefix("<") && say(words)
  }
}
