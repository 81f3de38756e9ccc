// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithDashboard
import KithInsights
import KithLocalHTTP
import KithWording

/// `kith ui`: the dashboard in a browser of this machine.
struct UICommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "ui",
    abstract: "Show your accounts in a browser.",
    discussion: """
      Serves pages on 127.0.0.1 until Ctrl-C, or until they were not used for 30 minutes: profiles with \
      a follow button, followers and follows to search, filter and change, requests, people to discover, analytics, and jobs to approve, \
      watch and undo. You can sign in and out there. Only browsers that open the address that it prints can use them; the address counts once, and \
      another one is printed for the next browser. Where there is a display, the browser is opened.

      To use it from another machine, forward the port. If your browser shows another address, name it; one that is not localhost \
      needs https before it:

        kith ui
        kith ui --no-open --port 8300
        ssh -L 8300:127.0.0.1:8300 HOST
        kith ui --no-open --port 8300 --host-name localhost:9000
        kith ui --no-open --port 8300 --host-name devbox.example:443

      What the pages show can also be read under /api, by the same browser. That is experimental.
      """)

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  @Option(help: ArgumentHelp("The port; a free one by default.", valueName: "n"))
  var port: UInt16 = 0

  @Option(
    name: .customLong("host-name"),
    help: ArgumentHelp("The address that browsers show, if it is a forwarded one.", valueName: "name:port"))
  var hostName: String?

  @Flag(name: .customLong("no-open"), help: "Only print the address.")
  var noOpen = false

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let forwarded = try hostName.map { text throws(CommandFault) in
      guard let address = DashboardPlace.Address(text) else {
        throw CommandFault(.usage, .invalidHostName(text))
      }
      return address
    }
    let context = try CommandContext(common, network, process)
    var limits = LocalHTTPLimits(bodyBytes: 8 << 20)
    // Cookies do not know ports: a server of another user may get the browser to send it this one. What carries a forwarded
    // address may belong to anyone.
    limits.refusesOtherUsers = forwarded == nil
    let listener: HTTPListener
    do throws(LocalHTTPError) { listener = try HTTPListener(port: port, limits: limits) } catch {
      throw CommandFault(.fileTrouble, .dashboardPort(error))
    }
    let browser = noOpen ? nil : BrowserDoor(in: process.environment)
    let (entries, entered) = AsyncStream.makeStream(of: Void.self)
    let dashboard = Dashboard(
      context.workspace, at: DashboardPlace(port: listener.port, forwarded: forwarded),
      keepingPicturesIn: common.noCache
        ? nil
        : PictureCache(
          in: SecureFolder(path: try UserFolder.cache.path(in: process.environment) + "/pictures")),
      remembering: DashboardMemory(
        in: SecureFolder(path: try UserFolder.data.path(in: process.environment))),
      clock: try ZonedCalendar(zone: "local")
    ) { entered.yield() }
    defer { browser?.close() }
    do {
      try await serve(dashboard, at: listener, context, browser, entries)
    } catch {
      await dashboard.stop()
      throw error
    }
    // A job may have begun in the last moment. It stops where it can be continued.
    await dashboard.stop()
    if !common.quiet { context.report(.dashboardEnded) }
  }

  /// Returns when the dashboard was not used for long.
  private func serve(
    _ dashboard: Dashboard, at listener: HTTPListener, _ context: CommandContext, _ browser: BrowserDoor?,
    _ entries: AsyncStream<Void>
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await listener.serve { await dashboard.answer($0) } }
      group.addTask { try await dashboard.run() }
      group.addTask {
        context.report(.dashboardAddress(dashboard.entrance))
        browser?.open(dashboard.entrance)
        for await _ in entries {
          browser?.close()
          context.report(.dashboardEntered(next: dashboard.entrance))
        }
        throw CancellationError()
      }
      // Only the dashboard ends by itself; the others return when they are cancelled.
      try await group.next()
      try Task.checkCancellation()
      group.cancelAll()
    }
  }
}
