// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KithClient
import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithStore

/// `kith db`: maintains the files that Kith keeps.
struct DatabaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "db",
    abstract: "Check, back up and shrink the files that Kith keeps.",
    discussion: """
      There are two files in XDG_DATA_HOME/kith: the journal of changes (kith.sqlite) and the history of \
      snapshots (history.sqlite). The cache of names, handles and DID documents in XDG_CACHE_HOME/kith can \
      be deleted at any time. Fields: file (journal, history), path, bytes, problem (null for an intact \
      file; one row per problem).

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
struct DatabasePathCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "path", abstract: "Show the paths and sizes of the files.")

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { FileRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let files = try UserFiles(of: process)
    try await context.printing(FileRow.self) { printer in
      for file in files.present {
        try printer.print(
          FileRow(file: file, path: file.path(in: files.folder), bytes: file.bytes(in: files.folder)))
      }
    }
    if files.present.isEmpty, !common.quiet { context.report(.noFiles(files.folder)) }
  }
}

/// `kith db check`.
struct DatabaseCheckCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check the files for damage.",
    discussion: "Exits with 74 if a file is damaged. Damaged files are never repaired: restore a backup."
  )

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { FileRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let files = try UserFiles(of: process)
    var isSound = true
    try await context.printing(FileRow.self) { printer in
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
    if !common.quiet { context.report(files.present.isEmpty ? .noFiles(files.folder) : .soundFiles) }
  }
}

/// `kith db backup`.
struct DatabaseBackupCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the files to a folder, even while they are in use.",
    discussion: """
      The copies keep the file names, and only you can read them; each is a consistent snapshot. Existing \
      files are not overwritten.
      """)

  @Argument(
    help: ArgumentHelp("The folder; created if it does not exist.", valueName: "folder"),
    completion: .directory)
  var target: String

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let files = try UserFiles(of: process)
    if mkdir(target, 0o700) != 0, errno != EEXIST {
      throw CommandFault(.fileTrouble, .systemError(target, String(cString: strerror(errno))))
    }
    for file in files.present {
      let copy = (target.hasSuffix("/") ? target : target + "/") + file.rawValue
      try await StoreDatabase(folder: files.folder, file).backup(to: copy)
      if !common.quiet { context.report(.backedUp(copy)) }
    }
    if files.present.isEmpty, !common.quiet { context.report(.noFiles(files.folder)) }
  }
}

/// `kith db vacuum`.
struct DatabaseVacuumCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "vacuum", abstract: "Return free space in the files to the disk.")

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let files = try UserFiles(of: process)
    for file in files.present {
      let before = file.bytes(in: files.folder)
      try await StoreDatabase(folder: files.folder, file).vacuum()
      if !common.quiet { context.report(.vacuumed(file, from: before, to: file.bytes(in: files.folder))) }
    }
  }
}

/// `kith db prune`.
struct DatabasePruneCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Remove old losses and profile counts from the history.",
    discussion: """
      This cannot be undone. Current relationships and their dates stay. kith jobs prune removes jobs; kith db \
      vacuum returns the free space.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Minimum age.", discussion: "Default: 104w.", valueName: "span"),
    transform: DurationOption.init(parsing:))
  var olderThan: DurationOption?

  @Flag(name: .shortAndLong, help: "Skip the confirmation prompt.")
  var yes = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  private static let standard = Duration.seconds(104 * 7 * 86_400)

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let age = olderThan?.duration ?? Self.standard
    let moment = context.time.instant - age
    let store = try context.workspace.historyToRead()
    if !yes {
      try await context.confirmation.require(
        "Remove losses and profile counts from before \(Datetime(at: moment))?")
    }
    let count = try await store.prune(before: moment)
    if !common.quiet { context.report(.historyPruned(count)) }
  }
}

/// `kith db forget`.
struct DatabaseForgetCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Remove all snapshots of accounts.",
    discussion: "This cannot be undone. Watched accounts stay watched.")

  @Argument(help: ArgumentHelp("Accounts, or me.", valueName: "account"), completion: .actor)
  var actors: [String]

  @Flag(name: .shortAndLong, help: "Skip the confirmation prompt.")
  var yes = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let store = try context.workspace.historyToRead()
    let accounts = try await context.workspace.accounts(named: actors)
    if !yes {
      try await context.confirmation.require(
        "Remove all snapshots of \(Message.counted(accounts.count, "account"))?")
    }
    var count = 0
    for account in accounts where try await store.forget(account) { count += 1 }
    if !common.quiet { context.report(.historyForgotten(count, unknown: accounts.count - count)) }
  }
}

/// The existing files of this user.
private struct UserFiles {
  let folder: String
  let present: [StoreFile]

  init(of process: RunContext) throws {
    let folder = try UserFolder.data.path(in: process.environment)
    self.folder = folder
    present = try [.journal, .history].filter { try $0.exists(in: folder) }
  }
}

/// A file, as a row.
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

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(file.name), TableRow.Cell("\(bytes)"), TableRow.Cell(path),
      TableRow.Cell(problem ?? "", .bad),
    ])
  }
}

extension StoreFile {
  /// The name in output.
  var name: String {
    switch self {
    case .journal: "journal"
    case .history: "history"
    case .cache: "cache"
    }
  }
}
