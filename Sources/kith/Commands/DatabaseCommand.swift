// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ArgumentParser
import RelationshipStore
import Relationships

/// `kith db`: look after the files that Kith keeps.
struct DatabaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "db",
    _superCommandName: Program.name,
    abstract: "Check, copy and shrink the files that Kith keeps.",
    discussion: """
      There are two, in the folder of XDG_DATA_HOME: the journal of changes (kith.sqlite) and the history of snapshots \
      (history.sqlite). A cache of names, handles and DID documents in the folder of XDG_CACHE_HOME may be deleted at any time. Fields: file (journal, history), path, bytes, problem (null for a sound file; a row for each).

        kith db
        kith db check
        kith db backup ~/backups
        kith db prune --older-than 52w
      """,
    subcommands: [
      DatabasePathCommand.self, DatabaseCheckCommand.self, DatabaseBackupCommand.self,
      DatabaseVacuumCommand.self, DatabasePruneCommand.self, DatabaseForgetCommand.self,
    ],
    defaultSubcommand: DatabasePathCommand.self)
}

/// `kith db path`.
struct DatabasePathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path", abstract: "Show where the files are, and how large.")

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let files = try UserFiles()
    try await common.printing(FileRow.self, environment: files.environment) { printer in
      for file in files.present {
        try printer.print(
          FileRow(file: file, path: file.path(in: files.folder), bytes: file.bytes(in: files.folder)))
      }
    }
    if files.present.isEmpty, !common.quiet { StandardError.say(.noFiles(files.folder)) }
  }
}

/// `kith db check`.
struct DatabaseCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Read the files whole, and tell what is wrong with them.",
    discussion: "Exits with 74 where something is. A damaged file is never repaired: put a copy in its place."
  )

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let files = try UserFiles()
    var isSound = true
    try await common.printing(FileRow.self, environment: files.environment) { printer in
      for file in files.present {
        var problems: [String?]
        do {
          problems = try await StoreDatabase(folder: files.folder, file).check()
        } catch let error as StoreError where error.code == .corrupt {
          problems = [error.detail]
        }
        isSound = isSound && problems.isEmpty
        if problems.isEmpty { problems = [nil] }
        for problem in problems {
          try printer.print(
            FileRow(
              file: file, path: file.path(in: files.folder), bytes: file.bytes(in: files.folder),
              problem: problem))
        }
      }
    }
    if !isSound { throw CommandFault(.fileTrouble, .damagedFiles) }
    if !common.quiet { StandardError.say(files.present.isEmpty ? .noFiles(files.folder) : .soundFiles) }
  }
}

/// `kith db backup`.
struct DatabaseBackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the files into a folder, while others may go on to write.",
    discussion: """
      The copies have the names of the files, and only you can read them; each is as of one moment. Files that are \
      there already are not overwritten.
      """)

  @Argument(help: ArgumentHelp("A folder that exists.", valueName: "folder"), completion: .directory)
  var target: String

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let files = try UserFiles()
    for file in files.present {
      let copy = (target.hasSuffix("/") ? target : target + "/") + file.rawValue
      try await StoreDatabase(folder: files.folder, file).backup(to: copy)
      if !common.quiet { StandardError.say(.backedUp(copy)) }
    }
    if files.present.isEmpty, !common.quiet { StandardError.say(.noFiles(files.folder)) }
  }
}

/// `kith db vacuum`.
struct DatabaseVacuumCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum", abstract: "Give back the room of what was forgotten.")

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let files = try UserFiles()
    for file in files.present {
      let before = file.bytes(in: files.folder)
      try await StoreDatabase(folder: files.folder, file).vacuum()
      if !common.quiet { StandardError.say(.vacuumed(file, from: before, to: file.bytes(in: files.folder))) }
    }
  }
}

/// `kith db prune`.
struct DatabasePruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Forget who left long ago, and what profiles counted then.",
    discussion: """
      Who is there stays, and since when. Jobs are forgotten by kith jobs prune. The room is given back by kith db vacuum.
      """)

  @Option(
    help: ArgumentHelp("How long ago, at least.", discussion: "Default: 104w.", valueName: "span"),
    transform: Span.init(parsing:))
  var olderThan: Span?

  @OptionGroup var common: CommonOptions

  private static let standard = Duration.seconds(104 * 7 * 86_400)

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let age = olderThan?.duration ?? Self.standard
    let moment = wiring.time.microsecondsSinceEpoch - age.inMilliseconds * 1_000
    let count = try await wiring.historyToRead().prune(before: moment)
    if !common.quiet { StandardError.say(.historyPruned(count)) }
  }
}

/// `kith db forget`.
struct DatabaseForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Forget all snapshots of actors.",
    discussion: "It cannot be taken back. Who is watched stays watched.")

  @Argument(help: ArgumentHelp("Actors, or me.", valueName: "actor"))
  var actors: [String]

  @Flag(name: .shortAndLong, help: "Do not ask.")
  var yes = false

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let store = try wiring.historyToRead()
    let accounts = try await wiring.accounts(named: actors)
    if !yes {
      try await Confirmation.require("Forget all snapshots of \(Message.counted(accounts.count, "account"))?")
    }
    var count = 0
    for account in accounts where try await store.forget(account) { count += 1 }
    if !common.quiet { StandardError.say(.historyForgotten(count, unknown: accounts.count - count)) }
  }
}

/// The files of this user that are there.
private struct UserFiles {
  let environment = RunContext.current.environment
  let folder: String
  let present: [StoreFile]

  init() throws {
    let folder = try UserFolder.data.path(in: environment)
    self.folder = folder
    present = try [.journal, .history].filter { try $0.exists(in: folder) }
  }
}

/// A file, as it is printed.
struct FileRow: PrintableRow {
  let file: StoreFile
  let path: String
  let bytes: Int
  var problem: String?

  static let fieldNames = ["file", "path", "bytes", "problem"]
  static let headings = ["FILE", "BYTES", "PATH", "PROBLEM"]

  func write(to fields: inout RowEncoder) {
    fields.text(file.name)
    fields.text(path)
    fields.number(bytes)
    fields.text(problem)
  }

  var tableRow: TableRow {
    TableRow(cells: [
      TableRow.Cell(file.name), TableRow.Cell("\(bytes)"), TableRow.Cell(path),
      TableRow.Cell(problem ?? "", .bad),
    ])
  }
}

extension StoreFile {
  /// What it is called in output.
  var name: String {
    switch self {
    case .journal: "journal"
    case .history: "history"
    case .cache: "cache"
    }
  }
}
