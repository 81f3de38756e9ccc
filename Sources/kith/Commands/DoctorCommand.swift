// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
public import ArgumentParser
import RelationshipWriting
public import Relationships

/// `kith doctor`: find what is wrong with an account, and mend it.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    _superCommandName: Program.name,
    abstract: "Find what is wrong with your account, and mend it.",
    discussion: """
      Compares your repository with what the AppView shows, and looks at your handle, your server and your clock. Kinds \
      of findings: duplicate (several records of one follow, block or list member), self (you follow or block \
      yourself), ghost (the AppView shows a follow that you have no record of), unindexed (it does not know a follow \
      that you have), deleted, suspended, deactivated, inactive (a follow of such an account), blocker (you follow an \
      account that blocks you), blocked (you follow an account that you block), dead-list-block (you block a list that \
      is gone), orphan-members (members of a list of yours that is gone), malformed (a record that cannot be read), \
      status, handle, pds, clock; and what is only told: subscription (a list that you block or mute), on-list (a list of somebody else that you \
      are on, by an index that --index names).

      Nothing is changed without --fix, which makes one job of the repairs; it can be resumed and undone like any other. \
      It shows what would be done and asks first; --yes does not ask, --dry-run does nothing.

        kith doctor
        kith doctor --only inactive --inactive 6mo
        kith doctor --fix duplicate deleted --dry-run

      \(AuditRow.help) With --fix: as of kith unfollow.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Look for these kinds of findings only.", valueName: "kind"))
  var only: [AuditFinding.Kind] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Look for these kinds of findings, and mend them.", valueName: "kind"))
  var fix: [AuditFinding.Kind] = []

  @Option(
    help: ArgumentHelp(
      "Look for follows of accounts whose repositories have not changed for so long, as 6mo; two calls for each "
        + "follow.", valueName: "span"),
    transform: Span.init(parsing:))
  var inactive: Span?

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  static let verb = ChangeVerb(
    name: "doctor", participle: "mended", isDestructive: true, noun: "finding", imperative: "Mend",
    leastAsked: 1)

  /// What is looked for.
  private var kinds: Set<AuditFinding.Kind> {
    let named = Set(only + fix)
    var kinds = named.isEmpty ? AccountAudit.Options().kinds : named
    if inactive != nil { kinds.insert(.inactive) }
    return kinds
  }

  mutating func validate() throws {
    if !only.isEmpty, !fix.isEmpty {
      throw ValidationError("--fix looks for what it mends; leave --only out.")
    }
    if fix.isEmpty, options.dryRun || options.yes {
      throw ValidationError("--dry-run and --yes go with --fix KIND.")
    }
    if let kind = fix.first(where: { !$0.isRepairable }) {
      throw ValidationError("Nothing mends \(kind.rawValue); leave it out of --fix.")
    }
    if inactive != nil, !fix.isEmpty, !fix.contains(.inactive) {
      throw ValidationError("--inactive goes with --fix inactive.")
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    var kinds = kinds
    if wiring.index == nil {
      if only.contains(.onList) { throw CommandFault(.usage, .onListNeedsIndex) }
      kinds.remove(.onList)
    }
    let account = try await wiring.account()
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
  /// Whether a change of the account's own records mends some of the kind.
  fileprivate var isRepairable: Bool {
    switch self {
    case .duplicate, .selfEdge, .deleted, .suspended, .deactivated, .inactive, .blocker, .blocked,
      .deadListBlock, .orphanMembers:
      true
    case .ghost, .unindexed, .malformed, .status, .handle, .pds, .clock, .subscription, .onList: false
    }
  }
}

/// Examines an account, and prints or mends what is found.
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

  /// The changes that mend what is found.
  ///
  /// - Throws: ``CommandFault`` where a part could not be examined, and whatever keeps the others from being.
  func repairs(_ options: AccountAudit.Options) async throws -> [RequestedChange] {
    var rows: [AuditRow] = []
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("read")
    defer { progress.end() }
    let coverage = try await examine(options, progress) { findings in rows += findings.map(row) }
    progress.end()
    // What is found shows in the rows of the changes, and what is not would show nowhere.
    if !common.quiet, rows.isEmpty || coverage.undecided > 0 {
      let counts = Dictionary(rows.map { ($0.finding.kind, 1) }, uniquingKeysWith: +)
      StandardError.say(.auditSummary(counts, coverage, cost.cost, elapsed: cost.elapsed))
    }
    try end(coverage)
    return rows.compactMap { row in
      row.repair.map { RequestedChange(input: row.subject, change: .success($0)) }
    }
  }

  private func row(_ finding: AuditFinding) -> AuditRow {
    AuditRow(finding: finding, repair: ChangeIntent(mending: finding, of: account.did))
  }

  private func examine(
    _ options: AccountAudit.Options, _ progress: ProgressLine, found: ([AuditFinding]) throws -> Void
  ) async throws -> AuditCoverage {
    let audit = AccountAudit(
      of: account.did, pds: account.pds, listings: wiring.listings(by: wiring.appview),
      own: wiring.listings(by: account.appview, as: account.did))
    let names = wiring.names()
    let coverage = try await audit.run(options) {
      progress.advance(by: $0)
    } found: { findings in
      // Of an account that is gone no server tells a name.
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

  /// Ends with a failure where a part could not be examined, or something of it was not answered.
  private func end(_ coverage: AuditCoverage) throws {
    var status = ExitStatus.success
    for error in coverage.faults.map(\.error) + [coverage.undecidedFault].compactMap(\.self) {
      status = status.orGraver(CommandFault(error)?.status ?? .unavailable)
    }
    if status != .success { throw CommandFault(status) }
  }
}
