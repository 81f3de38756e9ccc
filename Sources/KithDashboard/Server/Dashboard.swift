// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
package import KithInsights
package import KithLocalMessages
package import KithOperations

/// The dashboard of this machine: pages and `/api` over the operations of a workspace.
///
/// It answers requests, whatever carries them: ``answer(_:)`` has all checks.
package final class Dashboard: Sendable {
  /// What answers a request that was admitted.
  typealias Action = @Sendable (Dashboard, Visit) async throws -> LocalResponse

  private struct State {
    var random: any RandomNumberGenerator & Sendable
    var gate: Gate
    var idle: IdleLimit
  }

  let workspace: Workspace
  let pictures: PictureProxy
  let events: EventHub
  let jobs: JobsInServer
  let listings: OpenListings
  let memory: DashboardMemory?
  let analytics: AnalyticsRuns
  /// The time zone of days and hours in statistics.
  let clock: ZonedCalendar
  private let place: DashboardPlace
  private let state: PosixMutex<State>
  /// Told when a browser has entered: its token is used up.
  private let entered: @Sendable () -> Void

  /// - Parameters:
  ///   - cache: keeps pictures; nil to keep none.
  ///   - memory: what is remembered from one run to the next; nil for nothing.
  ///   - clock: the time zone of days and hours in statistics.
  ///   - random: where secrets come from.
  ///   - entered: is called when a browser has entered, so that ``entrance`` has changed.
  package init(
    _ workspace: Workspace, at place: DashboardPlace, keepingPicturesIn cache: PictureCache? = nil,
    remembering memory: DashboardMemory? = nil, clock: ZonedCalendar = .utc,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    entered: @escaping @Sendable () -> Void = {}
  ) {
    var random = random
    let gate = Gate(place, random: &random)
    let run = SecretToken(from: &random).text.prefix(8)
    state = PosixMutex(State(random: random, gate: gate, idle: IdleLimit(at: workspace.time.now)))
    (self.workspace, self.place, self.entered) = (workspace, place, entered)
    (self.memory, self.clock) = (memory, clock)
    pictures = PictureProxy(
      transport: workspace.transport, appview: workspace.services.appview, cache: cache, time: workspace.time)
    events = EventHub(run: String(run), time: workspace.time)
    jobs = JobsInServer(events, memory)
    listings = OpenListings(time: workspace.time)
    analytics = AnalyticsRuns(jobs, time: workspace.time)
    jobs.changed = { [weak self] isRunning in self?.jobChanged(isRunning) }
  }

  /// The address with which the next browser enters. It counts once.
  package var entrance: String {
    "\(place.origin)\(Gate.entrance)?token=\(state.withLock(\.gate.token.text))"
  }

  /// Watches what others change, and returns when no one has used the dashboard for half an hour.
  package func run() async throws {
    async let _: Void = ChangeWatch(workspace, events).run()
    await jobs.resume(in: workspace)
    while true {
      // A job has no end that could be waited for.
      let left = state.withLock { $0.idle.left(at: workspace.time.now) } ?? IdleLimit.patience
      if left == .zero { return }
      try await workspace.time.sleep(for: left)
    }
  }

  /// Stops the jobs that run here, where they can be continued.
  package func stop() async { await jobs.stop() }

  private func jobChanged(_ isRunning: Bool) {
    state.withLock { state in
      if isRunning { state.idle.jobBegan() } else { state.idle.jobEnded(at: workspace.time.now) }
    }
  }

  // MARK: Requests

  /// Answers a request, after all checks.
  package func answer(_ request: LocalRequest) async -> LocalResponse {
    let (verdict, form) = state.withLock { state in
      var form: FormBody?
      func formToken() -> String? {
        form = FormBody(of: request)
        return form?.token
      }
      let verdict = state.gate.verdict(
        on: request, formToken: formToken(), now: workspace.time.now, random: &state.random)
      if case .admitted = verdict { state.idle.sign(at: workspace.time.now) }
      return (verdict, form)
    }
    switch verdict {
    case .refused(let refusal): return refusal.response.hardened()
    case .asset: return Assets.response(to: request).hardened(isAsset: true)
    case .entered(let cookie):
      entered()
      var response = LocalResponse.page(EntrancePage.html)
      response.fields.append(HeaderField(name: "Set-Cookie", value: cookie))
      return response.hardened()
    case .admitted(let session):
      return await answer(request, form, session).hardened()
    }
  }

  private func answer(
    _ request: LocalRequest, _ form: FormBody?, _ session: Gate.Session
  ) async -> LocalResponse {
    let isForProgram = request.isForProgram
    do {
      let accounts = try await GatheredRun(ListSignedInAccounts(), in: workspace, most: .max).rows
      let items: QueryItems
      do { items = try request.queryItems } catch {
        throw DashboardError.invalid(request.query, "this is not a query of a URL")
      }
      switch Self.routes.match(request) {
      case .found(let action, let parts):
        let visit = Visit(
          request: request, parts: parts, items: items, form: form?.items, files: form?.files ?? [:],
          formToken: session.formToken.text, workspace: workspace, accounts: accounts)
        do { return try await action(self, visit) } catch {
          return isForProgram ? .failure(Failure(error)) : FailurePage(error, visit).response
        }
      case .otherMethods(let methods):
        var response = LocalResponse.text(405, "This address takes \(methods.joined(separator: ", ")).")
        response.fields.append(HeaderField(name: "Allow", value: methods.joined(separator: ", ")))
        return response
      case .nothing:
        throw DashboardError(.noSuchPage, request.path, "there is no such page")
      }
    } catch {
      let failure = Failure(error)
      return isForProgram ? .failure(failure) : .page(FailurePage.html(failure), status: failure.status)
    }
  }
}

/// What a POST brings: a form, or JSON with a token in it.
private struct FormBody {
  let items: QueryItems?
  private(set) var files: [String: [UInt8]] = [:]
  let token: String?

  private struct Signed: Decodable { let token: String? }

  init(of request: LocalRequest) {
    let type = request["content-type"]?.lowercased() ?? ""
    switch type.prefix(while: { $0 != ";" }) {
    case "application/x-www-form-urlencoded":
      items = try? QueryItems(request.body)
      token = items?["token"]
    case "multipart/form-data":
      let form = try? MultipartForm(request.body, type: request["content-type"] ?? "")
      (items, files) = (form?.texts, form?.files ?? [:])
      token = items?["token"]
    case "application/json":
      items = nil
      token = (try? JSONCoding.decode(Signed.self, from: request.body))?.token
    default: (items, token) = (nil, nil)
    }
  }
}
