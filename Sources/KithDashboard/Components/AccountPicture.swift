// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages

/// The picture of an account: its own, through the proxy, or its initials.
enum AccountPicture {
  /// The address under which this server shows a picture.
  static func address(of picture: String) -> String { "/api/picture?at=\(QueryItems.encoded(picture))" }

  static func html(_ picture: String?, of name: String, _ account: DID, _ classes: String = "") -> HTML {
    guard let picture else { return initials(of: name, account, classes) }
    return """
      <img class="av\(classes)" src="\(address(of: picture))" alt="" aria-hidden="true" loading="lazy" decoding="async" width="40" height="40">
      """
  }

  /// One or two letters on a colour that the account always has.
  static func initials(of name: String, _ account: DID, _ classes: String = "") -> HTML {
    let words = GuestText.visible(name).split { !$0.isLetter && !$0.isNumber }.prefix(2)
    let letters = words.compactMap(\.first).map { $0.uppercased() }.joined()
    let tint = account.description.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % 6 + 1
    return
      "<span class=\"av t\(tint)\(classes)\" aria-hidden=\"true\">\(letters.isEmpty ? "?" : letters)</span>"
  }
}
