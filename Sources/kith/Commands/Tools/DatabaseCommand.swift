// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithStore
import KithWriting

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
        kith db backup ~/backups --keep 8
        kith db restore ~/backups
        kith db prune --older-than 52w
      """,
    subcommands: [
      DatabasePathCommand.self, DatabaseCheckCommand.self, DatabaseBackupCommand.self,
      DatabaseRestoreCommand.self, DatabaseVacuumCommand.self, DatabasePruneCommand.self,
      DatabaseForgetCommand.self, DatabaseLoadHistoryCommand.self,
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
    discussion:
      "Exits with 74 if a file is damaged. Damaged files are never repaired: kith db restore puts a backup in their place."
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
      files are not overwritten. With --keep, each backup gets a folder of its own in this one, named by its time, and \
      the oldest beyond that number are removed: for a timer. No other user may be able to write to the folder then.

        kith db backup ~/backups --keep 8
        kith db restore ~/backups
      """)

  @Argument(
    help: ArgumentHelp("The folder; created if it does not exist.", valueName: "folder"),
    completion: .directory)
  var target: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Create a folder for this backup and keep the newest N.", valueName: "n"))
  var keep: Int?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func validate() throws {
    try keep?.check(isIn: (1...), for: "--keep")
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let files = try UserFiles(of: process)
    guard !files.present.isEmpty else {
      if !common.quiet { context.report(.noFiles(files.folder)) }
      return
    }
    let series = try BackupSeries(folder: target, creating: true)
    if keep != nil { try series.requireOwn() }
    let backup = keep == nil ? nil : try series.makeFolder(at: process.now)
    for copy in try await files.backUp(to: backup?.folder ?? series.folder) where !common.quiet {
      context.report(.backedUp(copy))
    }
    if let keep, let backup {
      let removed = series.removeAll(but: keep, made: backup.name, at: process.now, sparing: files.identities)
      if removed > 0, !common.quiet { context.report(.backupsRemoved(removed, from: target)) }
    }
  }
}

/// `kith db restore`.
struct DatabaseRestoreCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the place of the files.",
    discussion: """
      Name the folder of a backup, or one with several that --keep made, of which the newest is used. The folder and \
      its files must be yours, and no other user may be able to write to them. Each copy is checked before anything is \
      replaced, and the present files are kept beside them in a folder named before-restore. Jobs and snapshots made \
      since the backup are unknown afterwards, and what those jobs did stays: take a snapshot next. Nothing may be \
      running. After a journal was restored, kith jobs due changes nothing until you run it once on a terminal, where \
      it asks, or with --yes.

        kith db restore ~/backups
        kith db restore ~/backups/kith-20261127T101500Z --only history
      """)

  @Argument(help: ArgumentHelp("The folder of a backup.", valueName: "folder"), completion: .directory)
  var source: String

  @Option(help: ArgumentHelp("Restore only journal, or only history.", valueName: "file"))
  var only: BackedUpFile?

  @Flag(name: .shortAndLong, help: "Skip the confirmation prompt.")
  var yes = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    guard let backup = try BackupSeries.newest(in: source, at: process.now) else {
      throw CommandFault(.badInput, .noBackup(source))
    }
    let folder = backup.path
    let wanted = BackupSeries.files(in: backup).filter { file in only.map { $0.file == file } ?? true }
    guard !wanted.isEmpty else { throw CommandFault(.badInput, .noBackup(folder)) }
    let copies = try wanted.map { file in (file, copy: try BackupSeries.copy(of: file, in: backup)) }
    if !yes {
      let names = wanted.map(\.name).joined(separator: " and ")
      try await context.confirmation.require("Replace the \(names) by the backup in \(folder)?")
    }
    let files = try UserFiles(of: process)
    for (file, copy) in copies { try StoreDatabase.check(copy: copy, of: file, in: files.folder) }
    let former = try await files.keepAside(wanted, at: process.now)
    for (file, copy) in copies {
      do {
        try await StoreDatabase(folder: files.folder, file).restore(from: copy, at: process.now.instant)
      } catch let error as StoreError where error.code == .locked {
        throw CommandFault(.tryLater, Message(any: error))
      }
      if !common.quiet { context.report(.restored(file, from: folder)) }
    }
    if let former, !common.quiet { context.report(.backedUp(former)) }
    if wanted.contains(.journal), !common.quiet { try await reportJobs(context) }
  }

  /// Says what a restored journal has left to do.
  private func reportJobs(_ context: CommandContext) async throws {
    let store = try context.workspace.jobStore()
    let open = try await store.summaries(of: nil).filter(\.job.state.isRunnable)
    let due = try await store.due(at: context.time.instant)
    context.report(.restoredJobs(open: open.count, due: due.count))
  }
}

/// A file that backups contain.
enum BackedUpFile: String, CaseIterable, ExpressibleByArgument {
  case journal, history

  var file: StoreFile {
    switch self {
    case .journal: .journal
    case .history: .history
    }
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

/// `kith db load-history`, for histories that a sandbox has made up: no help shows it.
struct DatabaseLoadHistoryCommand: KithCommand {
  static let configuration = CommandConfiguration(
    commandName: "load-history",
    abstract: "Add the observations that kith-sandbox past prints to the history.",
    discussion: """
      Adds all of them or, if one of them is not understood, contradicts those before it, or is about an account whose \
      history has begun, none.
      """,
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("The file; - is stdin.", valueName: "file"), completion: .file())
  var file: String

  func run(in process: RunContext) async throws {
    let past = try await PastHistoryReader.history(in: try process.file(file), until: process.now.instant)
    let files = try UserFiles(of: process)
    try await SQLiteHistoryStore(try StoreDatabase(folder: files.folder, .history)).add(past)
    // As after a snapshot: the cache may be lost.
    try? await NameCache(folder: UserFolder.cache.path(in: process.environment))
      .remember(past.names, at: process.now.instant)
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
