// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithRelationships

/// An account as lists show it: picture, name and handle, which lead to its profile.
struct AccountCell {
  let view: AccountView
  let viewer: AccountInUse
  /// The URL of its picture; nil for its initials.
  var picture: String?
  var isSmall = false

  /// What people call an account.
  static func name(of view: AccountView) -> String {
    view.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? handle(of: view)
  }

  private static func handle(of view: AccountView) -> String {
    view.handle?.description ?? view.account.description
  }

  var html: HTML {
    let name = Self.name(of: view)
    return """
      <span class="acc">\(AccountPicture.html(picture, of: name, view.account, isSmall ? " sm" : ""))\
      <span class="id grow"><a class="dn" href="\(viewer.address("profile/\(view.account)"))">\(guest: name)</a>\
      <span class="hd">\(guest: Self.handle(of: view))</span></span></span>
      """
  }
}
