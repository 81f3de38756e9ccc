// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// What the sentences of errors for the people who use an app must not be; empty if all are one sentence without an
/// address or a method.
package func faultySentences(_ errors: [any CodedError]) -> [String] {
  errors.compactMap { error in
    guard let sentence = error.errorDescription else { return "\(error.code): none" }
    let isSentence =
      sentence.first?.isUppercase == true && sentence.hasSuffix(".") && !sentence.contains(". ")
      && !["://", "app.bsky", "com.atproto", "\n"].contains { sentence.contains($0) }
    return isSentence ? nil : "\(error.code): \(sentence)"
  }
}
