// SPDX-License-Identifier: Apache-2.0

/// The first accounts of every network and their relationships, independent of the seed: see
/// ``SandboxNetwork``.
enum NamedAccount: Int, CaseIterable {
  case alice, bob, carol, dave, erin, frank, grace, heidi, ivan, judy, mallory, niaj, oscar, trent

  /// The follows within the cast.
  static let follows: [(NamedAccount, NamedAccount)] = [
    (.alice, .bob), (.bob, .alice), (.alice, .carol), (.dave, .alice), (.erin, .alice), (.alice, .frank),
    (.alice, .grace), (.grace, .alice), (.judy, .alice), (.mallory, .alice), (.alice, .oscar),
    (.oscar, .alice), (.trent, .alice), (.bob, .carol), (.carol, .bob), (.dave, .bob), (.judy, .grace),
  ]

  /// The blocks within the cast.
  static let blocks: [(NamedAccount, NamedAccount)] = [(.alice, .erin), (.frank, .alice)]

  /// The blocked lists.
  static let listBlocks: [(NamedAccount, NetworkList.Plot)] = [(.alice, .spam), (.ivan, .loud)]

  /// The list members within the cast.
  static let listItems: [(NetworkList.Plot, NamedAccount)] = [
    (.spam, .heidi), (.spam, .mallory), (.readers, .bob), (.readers, .judy), (.loud, .alice),
    (.pack, .bob), (.pack, .judy),
  ]

  /// How many strangers the account follows, and how many follow it, in a network of 1,000; fewer in a
  /// smaller network.
  var strangers: (followed: Int, followers: Int) {
    switch self {
    case .alice: (followed: 120, followers: 250)
    case .bob: (followed: 60, followers: 90)
    case .grace: (followed: 300, followers: 400)
    case .niaj: (followed: 0, followers: 0)
    default: (followed: 12, followers: 20)
    }
  }

  var handle: String { "\(self).test" }

  var displayName: String {
    switch self {
    case .judy: "朱迪 ジュディ 🐳"
    // Red text, a new window title, a cleared screen, and right-to-left text.
    case .mallory: "\u{1B}[31mMallory\u{1B}]0;owned\u{07}\u{1B}[2J \u{202E}yrollaM\u{202C}"
    default: "\(self)".prefix(1).uppercased() + "\(self)".dropFirst()
    }
  }

  var biography: String {
    switch self {
    case .grace: "I keep lists."
    case .judy: "鯨と本が好き 📚"
    case .mallory: "line one\r\nline two\u{1B}[1A\u{2066}over it\u{2069}"
    case .niaj: ""
    default: "One of the first accounts of this sandbox."
    }
  }

  var status: SandboxAccount.Status {
    switch self {
    case .oscar: .deactivated
    case .trent: .takenDown
    default: .active
    }
  }
}
