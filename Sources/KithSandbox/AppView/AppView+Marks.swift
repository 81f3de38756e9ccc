// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// Pictures, labels and verifications of accounts; all labels and verifications are issued by grace.
extension AppView {
  /// One account in sixty has a label, and every second one that looks like a bot.
  func labels(of account: Int) -> [Com.Atproto.Label.Defs.Label] {
    guard let value = label(of: account) else { return [] }
    return [
      Com.Atproto.Label.Defs.Label(
        ver: 1, src: network.dids[NamedAccount.grace.rawValue],
        uri: Identities.uri("\(network.dids[account])"),
        val: value, cts: posts.createdAt(of: account, now: now))
    ]
  }

  /// All of the cast but Niaj have a picture, and five strangers in six; no bot has one that it has not published.
  func avatar(of account: Int) -> URI? {
    if let published = picture("avatar", of: account) { return published }
    let hasOne =
      NamedAccount(rawValue: account).map { $0 != .niaj }
      ?? (account < network.dids.count && !network.isBot(account) && marks(of: account) % 6 != 5)
    guard hasOne else { return nil }
    let file = Identities.blobCID(seed: network.configuration.seed &+ UInt64(account))
    return Identities.uri(SandboxPicture.address(of: file, by: network.dids[account], at: url))
  }

  /// A picture that an account has published; nil if its profile names none.
  func picture(_ field: String, of account: Int) -> URI? {
    guard let file = graph.profiles[account]?[field]?["ref"]?.link else { return nil }
    return Identities.uri(SandboxPicture.address(of: file, by: network.dids[account], at: url))
  }

  /// Carol and one stranger in a hundred are verified.
  func verification(of account: Int) -> App.Bsky.Actor.Defs.VerificationState? {
    let isVerified =
      NamedAccount(rawValue: account).map { $0 == .carol }
      ?? (marks(of: account) % 100 == 1 && !network.isBot(account))
    guard isVerified, account < network.dids.count else { return nil }
    let grace = NamedAccount.grace.rawValue
    let made = Identities.firstRevision
    return App.Bsky.Actor.Defs.VerificationState(
      verifications: [
        App.Bsky.Actor.Defs.VerificationView(
          issuer: network.dids[grace],
          uri: ATURI(
            authority: .did(network.dids[grace]), collection: App.Bsky.Graph.Verification.nsid,
            recordKey: RecordKey(
              tid: TID(at: made.instant + .microseconds(account), clockID: 0))),
          isValid: true, createdAt: Datetime(at: made.instant))
      ], verifiedStatus: .valid, trustedVerifierStatus: .none)
  }

  private func label(of account: Int) -> String? {
    guard account >= NamedAccount.allCases.count, account < network.dids.count else { return nil }
    let marks = marks(of: account)
    if network.isBot(account) { return marks.isMultiple(of: 2) ? "bot" : nil }
    return (marks >> 16).isMultiple(of: 60) ? "spam" : nil
  }

  private func marks(of account: Int) -> UInt64 {
    SplitMix64.mix(SplitMix64.mix(network.configuration.seed &+ 8) &+ UInt64(account))
  }
}
