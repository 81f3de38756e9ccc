// SPDX-License-Identifier: Apache-2.0

import ATProtoSandbox
import ArgumentParser
import Glibc

/// `kith demo`: the main job, on a network of its own, before the user's eyes.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    _superCommandName: Program.name,
    abstract: "Show the main job on a small network in this process.",
    discussion: """
      Starts a sandbox, runs commands against it through a shell, and shows each with its true output. At the end two \
      years of a second network pass in some seconds, of which there is a report. Nothing leaves this machine, and nothing \
      is left behind but that report, where --report says so.
      """)

  @Option(
    help: ArgumentHelp("Keep the report of the second network in this file.", valueName: "file"),
    completion: .file())
  var report: String?

  @OptionGroup var network: SandboxOptions

  /// Days of the network's story that pass within the demo.
  private static let days = 7

  /// What is run: each line is a command that works just so in a shell of one's own. Days pass before those that are
  /// later.
  private static let scenes: [(title: String, commands: [String])] = [
    ("Two accounts: what is between them?", ["kith check alice.test bob.test --format table"]),
    (
      "Many at once, named in a file: handles, a profile URL, one that nobody has",
      ["cat names.txt", "kith check alice.test --from names.txt --format table"]
    ),
    (
      "A question with yes or no for an answer, as a script asks it",
      [
        "kith check alice.test bob.test --is mutual -q; echo \"exit code $?\"",
        "kith check alice.test carol.test --is followed-by -q; echo \"exit code $?\"",
      ]
    ),
    (
      "Everybody who follows bob: which of them does alice follow? JSON through a pipe",
      [
        "kith check alice.test --followers-of bob.test | grep -c '\"following\":\"at:'",
        "kith check alice.test carol.test --json",
      ]
    ),
    (
      "What does it cost? Asked before, and told after",
      [
        "kith check alice.test --from names.txt --explain --format table",
        "kith check alice.test --followers-of alice.test -v | wc -l",
      ]
    ),
    ("Who is who, proven in both directions", ["kith resolve alice.test --format json"]),
    (
      "Sign in; everybody's password here is pw- and the name",
      ["echo pw-alice | kith login alice.test --password-stdin"]
    ),
    (
      "Who does not follow back? And of your followers, who is known, and not followed by you?",
      [
        "kith not-following-back --limit 5 --format table",
        "kith not-followed-back --where 'not blocked and followers > 100' --sort followers --limit 3 --format table",
      ]
    ),
    (
      "Every listing can be acted on; what would this unfollow?",
      [
        "kith unfollow --not-following-back --where 'followed before 2024-02-01' --dry-run --format table"
      ]
    ),
    (
      "Follow whom a file names: first looked at, then done; who is followed already costs nothing",
      [
        "cat newcomers.txt", "kith follow --from newcomers.txt --dry-run --format table",
        "kith follow --from newcomers.txt --format table",
      ]
    ),
    (
      "Block a friend: the block and the end of the follow are one commit",
      ["kith block grace.test --format table", "kith check alice.test grace.test --format table"]
    ),
    (
      "Changed your mind? Every change is written down before it is sent, and can be taken back",
      [
        "kith jobs --all --format table", "kith jobs undo 2 --format table",
        "kith check alice.test grace.test --format table",
      ]
    ),
    ("Remember who is there", ["kith snapshot --format table"]),
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

  /// - Parameter report: where the report goes.
  private static func pastScenes(report: String) -> [(title: String, commands: [String])] {
    [
      (
        "Another network, on which two years pass in some seconds, with snapshots: how does alice grow?",
        [
          "kith goal 1675 --of alice.test --format table",
          "kith stats alice.test --metric cards --metric growth --metric forecast --metric goal --time-zone UTC --format table",
        ]
      ),
      (
        "The same and more on a page that needs nothing else",
        ["kith report alice.test --range year --time-zone UTC -o \(report)"]
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
    let sandbox = network.sandbox(port: 0, days: Self.days)
    let endpoints = try await sandbox.start()
    let folder = try DemoFolder(files: ["names.txt": Self.names, "newcomers.txt": Self.newcomers])
    defer { folder.remove() }
    let shell = try DemoShell(folder: folder.path, endpoints: endpoints)
    try say("A network of \(sandbox.network.accounts.count) accounts answers at \(endpoints.appview).\n")
    try await show(Self.scenes, in: shell)
    for _ in 1...Self.days { sandbox.passDay() }
    try await show(Self.laterScenes, in: shell)
    await sandbox.stop()
    try await showPast(folder)
    try say(
      "Your turn: `kith sandbox` runs such a network for you, `kith check --help` shows what can be asked.")
  }

  private func showPast(_ folder: DemoFolder) async throws {
    let past = DemoPast(seed: network.seed)
    let shell = try DemoShell(folder: "\(folder.path)/past", endpoints: try await past.start())
    guard mkdir("\(folder.path)/past", 0o700) == 0 else {
      throw CommandFault(.fileTrouble, .systemError("\(folder.path)/past", String(cString: strerror(errno))))
    }
    try await past.live(in: shell.environment)
    try await show(Self.pastScenes(report: try reportPath(in: folder)), in: shell)
    await past.stop()
  }

  /// Commands run in a folder of their own.
  private func reportPath(in folder: DemoFolder) throws(CommandFault) -> String {
    guard let report else { return "report.html" }
    if report.hasPrefix("/") { return report }
    guard let here = getcwd(nil, 0) else {
      throw CommandFault(.fileTrouble, .systemError(".", String(cString: strerror(errno))))
    }
    defer { free(here) }
    return "\(String(cString: here))/\(report)"
  }

  private func show(_ scenes: [(title: String, commands: [String])], in shell: DemoShell) async throws {
    for scene in scenes {
      try say("# \(scene.title)")
      for command in scene.commands {
        try say("$ \(command)")
        let status = try await shell.run(command)
        try Task.checkCancellation()
        if status == ExitStatus.readerGone.rawValue { throw CommandFault(.readerGone) }
        if status != 0 { throw CommandFault(.ownFault, .demoFailed(command, status: status)) }
      }
      try say("")
    }
  }

  private func say(_ text: String) throws {
    try OutputDescriptor.standardOutput.write(Array((text + "\n").utf8))
  }
}
