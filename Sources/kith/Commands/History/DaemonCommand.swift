// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KithCore
import KithLocalHTTP
import KithOperations
import KithWording

/// `kith daemon`: does in the background what is to be done again and again.
struct DaemonCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "daemon",
    abstract: "Follow the watched accounts all the time, and do what is due.",
    discussion: """
      Does the work of kith live, kith snapshot and kith jobs due for the accounts of kith watch list until Ctrl-C: follows them by \
      one stream, takes a snapshot of each when its last one is a day old, and takes back timed changes whose time is over. Accounts \
      can be added and removed meanwhile. What fails is said once, and tried again each minute.

      While it runs, kith check, kith count and listings of watched accounts ask it first, by a socket that only you can connect \
      to, and the network where it does not know; source is daemon then. --no-cache leaves it out. There is one daemon for each \
      user; a second one ends with 75. It takes the accounts over from a kith live that runs; one that starts later keeps its \
      accounts until it ends.

        kith watch add me && kith daemon
        systemctl --user enable --now kith-daemon.service

      \(SnapshotRow.help)
      """)

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { SnapshotRow.self }

  func run(in process: RunContext) async throws {
    let place = try DaemonPlace(in: process.environment)
    let context = try CommandContext(common, network, process, asksDaemon: false)
    let printer = try OperationPrinter<SnapshotRow>(context, verb: "taken", isLive: true)
    let lock = try place.take(as: getpid())
    defer { lock.release() }
    let listener: HTTPListener
    do throws(LocalHTTPError) { listener = try HTTPListener(path: place.socket) } catch {
      throw CommandFault(.fileTrouble, .daemonSocket(error))
    }
    // Those that ask go to the network from now on.
    defer { unlink(place.socket) }
    let manager = ServiceManager(in: process.environment)
    let lastWatched = PosixMutex<Int?>(nil)
    let daemon = RunDaemon(version: Program.version) { answer in
      await listener.serve { await answer($0) }
    } heartbeat: { heartbeat in
      let before = lastWatched.withLock { last in
        defer { last = heartbeat.watched }
        return last
      }
      if before == nil { manager?.tell(.ready) }
      if heartbeat.watched == 0, before != 0 { context.report(.noneWatched) }
      manager?.tell(.alive, heartbeat.sentence)
    }
    var reporter = printer.reporter
    let (endings, ended) = AsyncStream.makeStream(of: DueJobEnding.self)
    reporter.note = { note in
      if case .jobEnded(let ending) = note { ended.yield(ending) } else { printer.report(note) }
    }
    async let reports: Void = report(endings, context)
    let outcome = try await daemon.run(in: context.workspace, reporter)
    manager?.tell(.stopping)
    ended.finish()
    await reports
    try printer.finish(isClosed: outcome.ending == .interrupted(.closed))
    if !common.quiet { context.report(.daemonSummary(outcome)) }
    try context.end(outcome)
  }

  private func report(_ endings: AsyncStream<DueJobEnding>, _ context: CommandContext) async {
    for await ending in endings {
      do { try await JobRun(context: context).report(ending) } catch {
        // What cannot be said of one does not keep back the others.
        context.report(CommandFault(any: error)?.message ?? Message(other: error))
      }
    }
  }
}

extension DaemonHeartbeat {
  /// What the service manager shows.
  fileprivate var sentence: String {
    let place = place.map { ", read up to \(Datetime(at: $0))" } ?? ""
    return "watching \(Counted.words(watched, "account"))\(place)"
  }
}
