// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KithSandbox

/// `kith demo`: runs the main commands on a sandbox network.
struct DemoCommand: KithCommand {
  static let configuration = CommandConfiguration(
    verb: "demo",
    abstract: "Show the main commands on a small sandbox network.",
    discussion: """
      Starts a sandbox, runs commands against it in a shell, and shows each with its real output. At the \
      end, two years of a second network pass in a few seconds and are summed up in a report. Nothing leaves \
      this machine, and nothing is left behind except that report, if --report is given.
      """)

  @Option(
    help: ArgumentHelp("Keep the report of the second network in this file.", valueName: "file"),
    completion: .file())
  var report: String?

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
      "Block a friend: one commit creates the block and deletes the follow",
      ["kith block grace.test --format table", "kith check alice.test grace.test --format table"]
    ),
    (
      "Changed your mind? Every change is recorded before it is sent, and can be undone",
      [
        "kith jobs --all --format table", "kith jobs undo 2 --format table",
        "kith check alice.test grace.test --format table",
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

  /// - Parameter report: the path of the report.
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
        ["kith stats alice.test --range year --time-zone UTC -o \(report.quotedForShell)"]
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

  func run(in process: RunContext) async throws {
    let sandbox = network.sandbox(port: 0, days: Self.days)
    let endpoints = try await sandbox.start()
    let folder = try DemoFolder(
      in: process, files: ["names.txt": Self.names, "newcomers.txt": Self.newcomers])
    defer { folder.remove() }
    let shell = try DemoShell(folder: folder.path, endpoints: endpoints, process)
    try process.show(
      "A network of \(sandbox.network.accounts.count) accounts is running at \(endpoints.appview).\n")
    try await process.show(Self.scenes, in: shell)
    for _ in 1...Self.days { sandbox.passDay() }
    try await process.show(Self.laterScenes, in: shell)
    await sandbox.stop()
    try await showPast(folder, process)
    try process.show(
      "Your turn: `kith sandbox` runs such a network for you, `kith check --help` shows what you can check.")
  }

  private func showPast(_ folder: DemoFolder, _ process: RunContext) async throws {
    let past = DemoPast(seed: network.seed)
    let shell = try DemoShell(folder: "\(folder.path)/past", endpoints: try await past.start(), process)
    guard mkdir("\(folder.path)/past", 0o700) == 0 else {
      throw CommandFault(.fileTrouble, .systemError("\(folder.path)/past", String(cString: strerror(errno))))
    }
    try await past.live(in: shell.environment, process)
    try await process.show(Self.pastScenes(report: try reportPath(in: folder)), in: shell)
    await past.stop()
  }

  /// The absolute path of the report, because commands run in a temporary folder.
  private func reportPath(in folder: DemoFolder) throws(CommandFault) -> String {
    guard let report else { return "report.html" }
    if report.hasPrefix("/") { return report }
    guard let here = getcwd(nil, 0) else {
      throw CommandFault(.fileTrouble, .systemError(".", String(cString: strerror(errno))))
    }
    defer { free(here) }
    return "\(String(cString: here))/\(report)"
  }
}

extension RunContext {
  /// Runs the commands of scenes, each below its title.
  fileprivate func show(_ scenes: [(title: String, commands: [String])], in shell: DemoShell) async throws {
    for scene in scenes {
      try show("# \(scene.title)")
      for command in scene.commands {
        try show("$ \(command)")
        let status = try await shell.run(command)
        try Task.checkCancellation()
        if status == ExitStatus.readerGone.rawValue { throw CommandFault(.readerGone) }
        if status != 0 { throw CommandFault(.internalError, .demoFailed(command, status: status)) }
      }
      try show("")
    }
  }

  /// Prints a line.
  fileprivate func show(_ text: String) throws {
    try standardOutput.write(Array((text + "\n").utf8))
  }
}
