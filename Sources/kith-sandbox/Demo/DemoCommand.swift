// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KithCore
import KithSandbox

/// `kith-sandbox demo`, which `kith demo` starts: runs the main commands on a sandbox network.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show the main commands on a small sandbox network.",
    discussion: """
      Starts a sandbox, runs commands against it in a shell, and shows each with its real output. At the \
      end, two years of a second network pass in a few seconds and are summed up in a report. Nothing leaves \
      this machine, and nothing is left behind except that report, if --report is given. With --ui, the dashboard of \
      the first network runs on at the end.
      """)

  @Option(
    help: ArgumentHelp("Keep the report of the second network in this file.", valueName: "file"),
    completion: .file())
  var report: String?

  @Option(
    help: ArgumentHelp(
      "The kith to show. (default: the one beside kith-sandbox, or in ../../bin)", valueName: "path"),
    completion: .file())
  var kith: String?

  @Flag(
    name: .customLong("ui"),
    help: "At the end, leave the dashboard running on the network, until it is interrupted.")
  var opensDashboard = false

  @OptionGroup var network: SandboxOptions

  /// The days of simulated history that pass in the demo.
  private static let days = 7

  /// The commands of the demo; each also works in a normal shell.
  private static let scenes: [(title: String, commands: [String])] = [
    ("How are two accounts related?", ["kith check alice.test bob.test --format table"]),
    (
      "Many at once, from a file: handles, a profile URL, a handle that does not exist",
      ["cat names.txt", "kith check alice.test --from names.txt --format table"]
    ),
    (
      "A yes-or-no question, as a script asks it",
      [
        "kith check alice.test bob.test --is mutual -q; echo \"exit code $?\"",
        "kith check alice.test carol.test --is followed-by -q; echo \"exit code $?\"",
      ]
    ),
    (
      "Which of bob's followers does alice follow? JSON through a pipe",
      [
        "kith check alice.test --followers-of bob.test | grep -c '\"following\":\"at:'",
        "kith check alice.test carol.test --json",
      ]
    ),
    (
      "What does it cost? The estimate before, and the calls after",
      [
        "kith check alice.test --from names.txt --explain --format table",
        "kith check alice.test --followers-of alice.test -v | wc -l",
      ]
    ),
    ("Resolve a handle, verified in both directions", ["kith resolve alice.test --format json"]),
    (
      "Sign in; in the sandbox, passwords are pw- and the name",
      ["echo pw-alice | kith login alice.test --password-stdin"]
    ),
    (
      "Who does not follow you back? And which popular followers do you not follow?",
      [
        "kith not-following-back --limit 5 --format table",
        "kith not-followed-back --where 'not blocked and followers > 100' --sort followers --limit 3 --format table",
      ]
    ),
    (
      "Every listing can be the input of a change; what would this unfollow?",
      [
        "kith unfollow --not-following-back --where 'followed before 2024-02-01' --dry-run --format table"
      ]
    ),
    (
      "Follow the accounts in a file: first a dry run; accounts you already follow cost nothing",
      [
        "cat newcomers.txt", "kith follow --from newcomers.txt --dry-run --format table",
        "kith follow --from newcomers.txt --format table",
      ]
    ),
    (
      "Find people: by name, and in the graph, with reasons; accounts with a block never appear",
      [
        "kith people search ada --limit 3 --format table", "kith people recommend --limit 3 --format table",
        "kith follow --people recommend --first 2 --dry-run --format table",
      ]
    ),
    (
      "Read what your mutuals post, from the source that takes the fewest calls, and the card of an account",
      [
        "kith feed --mutuals --no-reposts --limit 2 --format table",
        "kith profile carol.test --posts 1 --format table",
      ]
    ),
    (
      "Publish a post: what it mentions and links is shown first, and undo deletes it",
      [
        "kith post 'Good morning @bob.test, #birds today' --replies followers --dry-run --format table",
        "kith post 'Good morning @bob.test, #birds today' --replies followers --yes --format table",
        "kith feed --of alice.test --limit 1 --format table", "kith undo 2 --yes --format table",
      ]
    ),
    (
      "Block a friend: one commit creates the block and deletes the follow",
      ["kith block grace.test --format table", "kith check alice.test grace.test --format table"]
    ),
    (
      "Changed your mind? Every change is recorded before it is sent, and can be undone",
      [
        "kith jobs --all --format table", "kith jobs undo 4 --format table",
        "kith check alice.test grace.test --format table",
      ]
    ),
    (
      "Friends by consent: what were you asked? Accept one, and ask another",
      [
        "kith friends inbox bob.test dave.test --format table",
        "kith friends accept bob.test --kind friend --format table",
        "kith friends request judy.test --dry-run --format table",
        "kith friends --by consent --format table",
        "kith check alice.test bob.test --is friend -q; echo \"exit code $?\"",
      ]
    ),
    ("Take a snapshot of followers and follows", ["kith snapshot --format table"]),
  ]

  private static let laterScenes: [(title: String, commands: [String])] = [
    (
      "A week later: who left, and why?",
      [
        "kith snapshot --format table", "kith history --side followers --kind lost --format table",
        "kith history --cause deleted --json",
      ]
    )
  ]

  private static let dashboardScenes: [(title: String, commands: [String])] = [
    ("The same in a browser: open the address; Ctrl-C ends the dashboard and its network", ["kith ui"])
  ]

  /// - Parameter report: the path of the report, quoted for a shell.
  private static func pastScenes(report: String) -> [(title: String, commands: [String])] {
    [
      (
        "Another network, where two years pass in a few seconds: how does alice grow?",
        [
          "kith goal 1675 --of alice.test --format table",
          "kith stats alice.test --metric cards --metric growth --metric forecast --metric goal --time-zone UTC --format table",
        ]
      ),
      (
        "The same and more as a self-contained page",
        ["kith stats alice.test --range year --time-zone UTC -o \(report)"]
      ),
    ]
  }

  private static let names = """
    bob.test
    @carol.test
    https://bsky.app/profile/dave.test
    erin.test
    frank.test
    heidi.test
    niaj.test
    nobody.test

    """

  private static let newcomers = """
    bob.test
    dave.test
    niaj.test

    """

  func run() async throws {
    let program = try KithProgram.folder(of: kith)
    let report = try reportPath()
    try await Interruption.watching { try await show(program: program, report: report) }
  }

  private func show(program: String, report: String) async throws {
    let served = try ServedSandbox(network.sandbox(days: Self.days))
    let folder = try DemoFolder(files: ["names.txt": Self.names, "newcomers.txt": Self.newcomers])
    defer { folder.remove() }
    let shell = DemoShell(folder: folder.path, endpoints: served.endpoints, program: program)
    let count = served.sandbox.network.accounts.count
    try show("A network of \(count) accounts is running at \(served.endpoints.appview).\n")
    try await show(Self.scenes, in: shell)
    try await showLive(served.sandbox, in: shell)
    for _ in 1...Self.days { served.sandbox.passDay() }
    try await show(Self.laterScenes, in: shell)
    if !opensDashboard { await served.stop() }
    try await showPast(program: program, report: report)
    if opensDashboard {
      try await show(Self.dashboardScenes, in: shell)
      return await served.stop()
    }
    try show(
      "Your turn: `kith sandbox` runs such a network for you, `kith check --help` shows what you can check.")
  }

  /// Shows what other accounts do while a command watches.
  private func showLive(_ sandbox: Sandbox, in shell: DemoShell) async throws {
    try show("# Watch it happen: an unfollow names its account, too")
    let command = "kith live erin.test --limit 3 --format table"
    try show("$ \(command)")
    let cast = ["erin.test", "dave.test", "niaj.test", "judy.test"].compactMap { name in
      Handle(name).flatMap(sandbox.network.account)?.did
    }
    guard cast.count == 4 else { return }
    for account in [cast[1], cast[3]] { sandbox.follow(from: account, to: cast[0]) }
    async let run: Void = shell.run(command)
    for _ in 0..<500 where sandbox.stream.waiterCount == 0 { try await Task.sleep(for: .milliseconds(20)) }
    sandbox.unfollow(from: cast[1], to: cast[0])
    sandbox.follow(from: cast[2], to: cast[0])
    sandbox.block(from: cast[3], to: cast[0])
    try await run
    try show("")
  }

  private func showPast(program: String, report: String) async throws {
    let past = try DemoPast(seed: network.seed)
    let served = try ServedSandbox(past.sandbox)
    let folder = try DemoFolder(files: ["past.ndjson": past.observations])
    defer { folder.remove() }
    let shell = DemoShell(folder: folder.path, endpoints: served.endpoints, program: program)
    try await shell.run("kith db load-history past.ndjson")
    try await show(Self.pastScenes(report: report), in: shell)
    await served.stop()
  }

  /// Runs the commands of scenes, each below its title.
  private func show(_ scenes: [(title: String, commands: [String])], in shell: DemoShell) async throws {
    for scene in scenes {
      try show("# \(scene.title)")
      for command in scene.commands {
        try show("$ \(command)")
        try await shell.run(command)
      }
      try show("")
    }
  }

  /// Prints a line.
  private func show(_ text: String) throws(ProgramFault) {
    try StandardOutput.write(Array((text + "\n").utf8))
  }

  /// The absolute path of the report as one word of a shell, because commands run in a temporary folder.
  private func reportPath() throws(ProgramFault) -> String {
    guard let report else { return "report.html" }
    // Standard output, as for the command that writes it.
    if report == "-" { return report }
    var path = report
    if !report.hasPrefix("/") {
      guard let here = getcwd(nil, 0) else { throw .system(".") }
      defer { free(here) }
      path = "\(String(cString: here))/\(report)"
    }
    let isPlain = path.utf8.allSatisfy { byte in
      UInt8(ascii: "-")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "_")
    }
    return isPlain ? path : "'" + path.replacing("'", with: #"'\''"#) + "'"
  }
}
