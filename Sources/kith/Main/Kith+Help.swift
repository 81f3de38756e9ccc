// SPDX-License-Identifier: Apache-2.0

import KithClient

extension Kith {
  /// A row of a table in the discussion.
  ///
  /// `kith-manual` reads these tables: rows end with a semicolon, and the first word of each is what it is about.
  struct HelpRow {
    let term: String
    let meaning: String

    init(_ term: String, _ meaning: String) {
      self.term = term
      self.meaning = meaning
    }
  }

  /// What help says about exit codes, variables and files, which hold for all commands.
  static var tables: String {
    """
    \(table("Exit codes", ExitStatus.allCases.map { HelpRow("\($0.rawValue)", $0.meaning) }))

    \(table("Environment", environment))

    \(table("Files", files))
    """
  }

  private static let environment = [
    HelpRow("KITH_APPVIEW", "the AppView to ask"),
    HelpRow("ATP_PDS_HOST", "your PDS"),
    HelpRow("ATP_PLC_HOST", "the PLC directory"),
    HelpRow("KITH_RESOLVER", "a server that verifies the handles of a local network"),
    HelpRow("KITH_INDEX", "an index of backlinks"),
    HelpRow("KITH_JETSTREAM", "the host of the stream of events"),
    HelpRow(
      "KITH_APPVIEW_PROXY",
      "the AppView that your PDS passes calls on to, \(ServiceReference.blueskyAppView) by default"),
    HelpRow("ATP_AUTH_USERNAME", "the account to sign in"),
    HelpRow("ATP_AUTH_PASSWORD", "its password"),
    HelpRow("ATP_AUTH_FACTOR", "its sign-in code"),
    HelpRow("SSL_CERT_FILE", "certificates to trust"),
    HelpRow("KITH_CONTACT", "how you can be reached, sent in User-Agent to services that you name"),
    HelpRow("https_proxy", "a proxy, as curl reads it"),
    HelpRow("no_proxy", "hosts to reach without a proxy"),
    HelpRow(
      "KITH_MESSAGES",
      "with json, each message on stderr is a JSON object: level, code, message, and fields of that code"),
    HelpRow("NO_COLOR", "no colours"),
    HelpRow("CLICOLOR_FORCE", "colours, even in a pipe"),
  ]

  private static let files = [
    HelpRow("~/.local/state/kith", "sessions ($XDG_STATE_HOME)"),
    HelpRow("~/.local/share/kith", "jobs and history ($XDG_DATA_HOME)"),
    HelpRow("~/.config/kith", "settings ($XDG_CONFIG_HOME)"),
    HelpRow("~/.cache/kith", "names, handles and servers, which may be deleted ($XDG_CACHE_HOME)"),
  ]

  private static func table(_ title: String, _ rows: [HelpRow]) -> String {
    "\(title): " + rows.map { "\($0.term) \($0.meaning)" }.joined(separator: "; ") + "."
  }
}
