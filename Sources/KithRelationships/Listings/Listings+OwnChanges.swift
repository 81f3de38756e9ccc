// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

extension Listings {
  /// Accounts from answers of an AppView, with the viewer's relationship as a check shows it: where it was changed on this
  /// machine a short time ago, the AppView may lag behind (Q21). Other accounts cost no call.
  ///
  /// - Returns: the accounts, and the first error because of which a relationship is unknown.
  /// - Throws: `CancellationError`.
  package func current(
    _ views: [AccountView]
  ) async throws -> (views: [AccountView], fault: RelationshipError?) {
    guard let viewer, let ownChanges else { return (views, nil) }
    let told = views.filter { $0.relationship != nil && $0.account != viewer }.map(\.account)
    if told.isEmpty { return (views, nil) }
    let touched = await ownChanges.touched(by: viewer, among: told)
    if touched.isEmpty { return (views, nil) }
    let (found, fault) = try await freshRelationships.known(of: viewer, with: touched.sorted())
    let current = views.map { view in
      guard let told = view.relationship, touched.contains(view.account) else { return view }
      return view.with(found[view.account].map { told.changed(by: $0) })
    }
    return (current, fault)
  }
}

extension ViewerRelationship {
  /// The relationship with the edges of an answer; what that does not say stays.
  fileprivate func changed(by info: RelationshipInfo) -> ViewerRelationship {
    var relationship = self
    relationship.word = ViewerRelationship(info).word
    return relationship
  }
}
