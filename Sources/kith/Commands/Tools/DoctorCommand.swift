// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import KithClient
import KithCore
import KithOperations
public import KithRelationships
import KithWriting

/// `kith doctor`: finds and fixes problems of an account.
struct DoctorCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "doctor",
    abstract: "Find and fix problems with your account.",
    discussion: """
      Compares your repository with what the AppView shows, and checks your handle, your server and your \
      clock. Kinds of findings: duplicate (several records of one follow, block or list member), self (you \
      follow or block yourself), ghost (the AppView shows a follow without a record), unindexed (the AppView \
      does not show a follow of yours), deleted, suspended, deactivated, inactive (you follow such an \
      account), blocker (you follow an account that blocks you), blocked (you follow an account that you \
      block), dead-list-block (you block a list that is gone), orphan-members (members of a list of yours \
      that is gone), malformed (a record that cannot be read), status, handle, pds, clock; and, for \
      information only: subscription (a list that you block or mute), on-list (a list of another account \
      that you are on, according to the index named by --index).

      Nothing is changed without --fix, which runs the repairs as one job; it can be resumed and undone like \
      any other. It shows the repairs and asks for confirmation; --yes skips the prompt, --dry-run changes \
      nothing.

        kith doctor
        kith doctor --only inactive --inactive 6mo
        kith doctor --fix duplicate deleted --dry-run

      \(AuditRow.help) With --fix: as kith unfollow.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Find only these kinds of problems.", valueName: "kind"))
  var only: [AuditFinding.Kind] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Find and fix these kinds of problems.", valueName: "kind"))
  var fix: [AuditFinding.Kind] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Find follows of accounts whose repositories are unchanged for a time such as 6mo (2 calls per follow).",
      valueName: "span"),
    transform: Span.init(parsing:))
  var inactive: Span?

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? {
    options.cost.explain ? PlanRow.self : fix.isEmpty ? AuditRow.self : ChangeRow.self
  }

  static let verb = ChangeVerb(
    name: "doctor", participle: "fixed", isDestructive: true, noun: "finding", imperative: "Fix",
    leastAsked: 1)

  /// The kinds of problems to find.
  private var kinds: Set<AuditFinding.Kind> {
    let named = Set(only + fix)
    var kinds = named.isEmpty ? AccountAudit.Options().kinds : named
    if inactive != nil { kinds.insert(.inactive) }
    return kinds
  }

  mutating func validate() throws {
    if !only.isEmpty, !fix.isEmpty {
      throw ValidationError("--fix also selects what to find; omit --only.")
    }
    if fix.isEmpty, options.dryRun || options.yes {
      throw ValidationError("--dry-run and --yes need --fix KIND.")
    }
    if let kind = fix.first(where: { !$0.isRepairable }) {
      throw ValidationError("\(kind.rawValue) cannot be fixed; omit it from --fix.")
    }
    if inactive != nil, !fix.isEmpty, !fix.contains(.inactive) {
      throw ValidationError("--inactive needs --fix inactive.")
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    var kinds = kinds
    if wiring.index == nil {
      if only.contains(.onList) { throw CommandFault(.usage, .onListNeedsIndex) }
      kinds.remove(.onList)
    }
    let account = try await wiring.workspace.account()
    if options.cost.explain { return try await explain(kinds, account, wiring) }
    let run = AuditRun(wiring: wiring, account: account)
    var audit = AccountAudit.Options(kinds: kinds)
    if let inactive { audit.inactiveFor = inactive.duration }
    guard !fix.isEmpty else { return try await run.print(audit) }
    let requests = try await run.repairs(audit)
    let changes = ChangeRun(wiring: wiring, options: options, verb: Self.verb, showsPlan: true)
    try await changes.finish(requests, as: account)
  }

  private func explain(
    _ kinds: Set<AuditFinding.Kind>, _ account: AuthorizedAccount, _ wiring: Wiring
  ) async throws {
    let follows = try await NetworkCounts(client: wiring.appview).entries(of: [
      .follows(of: .did(account.did))
    ])
    var plan = CostPlan(concurrency: wiring.concurrency)
    plan.addAudit(kinds, follows: follows[0])
    try common.print(plan, concurrency: wiring.concurrency, environment: wiring.environment)
  }
}

extension AuditFinding.Kind: ExpressibleByArgument {
  /// Whether a change of the account's own records can fix some findings of the kind.
  fileprivate var isRepairable: Bool {
    switch self {
    case .duplicate, .selfEdge, .deleted, .suspended, .deactivated, .inactive, .blocker, .blocked,
      .deadListBlock, .orphanMembers:
      true
    case .ghost, .unindexed, .malformed, .status, .handle, .pds, .clock, .subscription, .onList: false
    }
  }
}

/// Examines an account, and prints or fixes the findings.
struct AuditRun {
  let wiring: Wiring
  let account: AuthorizedAccount

  private var common: CommonOptions { wiring.common }

  /// Prints every finding.
  func print(_ options: AccountAudit.Options) async throws {
    var counts: [AuditFinding.Kind: Int] = [:]
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("read")
    var coverage = AuditCoverage()
    try await common.printing(AuditRow.self, environment: wiring.environment, progress: progress) { printer in
      coverage = try await examine(options, progress) { findings in
        for finding in findings {
          counts[finding.kind, default: 0] += 1
          try printer.print(row(finding))
        }
        try printer.flush()
      }
    }
    if !common.quiet { StandardError.say(.auditSummary(counts, coverage, cost.cost, elapsed: cost.elapsed)) }
    if common.verbose { cost.say() }
    try end(coverage)
  }

  /// The changes that fix the findings.
  ///
  /// - Throws: ``CommandFault`` if a part could not be examined; errors of the examination.
  func repairs(_ options: AccountAudit.Options) async throws -> [RequestedChange] {
    var rows: [AuditRow] = []
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("read")
    defer { progress.end() }
    let coverage = try await examine(options, progress) { findings in rows += findings.map(row) }
    progress.end()
    // The rows of the changes show the findings; other results need the summary.
    if !common.quiet, rows.isEmpty || coverage.undecided > 0 {
      let counts = Dictionary(rows.map { ($0.finding.kind, 1) }, uniquingKeysWith: +)
      StandardError.say(.auditSummary(counts, coverage, cost.cost, elapsed: cost.elapsed))
    }
    try end(coverage)
    return rows.compactMap { row in
      row.repair.map { RequestedChange(row.subject, .success($0)) }
    }
  }

  private func row(_ finding: AuditFinding) -> AuditRow {
    AuditRow(finding: finding, repair: ChangeIntent(mending: finding, of: account.did))
  }

  private func examine(
    _ options: AccountAudit.Options, _ progress: ProgressLine, found: ([AuditFinding]) throws -> Void
  ) async throws -> AuditCoverage {
    let audit = AccountAudit(
      of: account.did, pds: account.pds, listings: wiring.workspace.listings(by: wiring.appview),
      own: wiring.workspace.listings(by: account.appview, as: account.did))
    let names = wiring.workspace.names()
    let coverage = try await audit.run(options) {
      progress.advance(by: $0)
    } found: { findings in
      // No server returns the name of an account that is gone, so the cache is used.
      let unnamed = findings.compactMap(\.subject).filter { $0.handle == nil }.map(\.account)
      let known = try await names.views(of: unnamed, asking: true)
      try found(
        findings.map { finding in
          var finding = finding
          finding.subject = finding.subject.map { $0.named(by: known[$0.account]) }
          return finding
        })
    }
    for (part, error) in coverage.faults { StandardError.say(.notExamined(part, error)) }
    return coverage
  }

  /// Throws if a part could not be examined, or only incompletely.
  private func end(_ coverage: AuditCoverage) throws {
    var status = ExitStatus.success
    for error in coverage.faults.map(\.error) + [coverage.undecidedFault].compactMap(\.self) {
      status = status.orMoreSevere(CommandFault(any: error)?.status ?? .unavailable)
    }
    if status != .success { throw CommandFault(status) }
  }
}
