// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What was learned of some targets, in an order.
///
/// From hand to hand targets keep their order, and whoever reads asks for them in it: so each is found without a
/// search as a rule, and no hand hashes them all anew.
struct Findings: Sendable, Equatable {
  private var targets: [DID] = []
  private var findings: [RelationshipFinding] = []

  init() {}

  /// Of what a source has said, that about the targets.
  init(_ found: [DID: RelationshipFinding], of targets: [DID]) {
    self.init()
    reserveCapacity(targets.count)
    for target in targets { if let finding = found[target] { append(finding, of: target) } }
  }

  mutating func reserveCapacity(_ count: Int) {
    targets.reserveCapacity(count)
    findings.reserveCapacity(count)
  }

  /// Adds what was learned of one more target.
  mutating func append(_ finding: RelationshipFinding, of target: DID) {
    targets.append(target)
    findings.append(finding)
  }

  /// What was learned of a target, if anything.
  ///
  /// - Parameter position: where it stands if none is missing.
  func finding(of target: DID, near position: Int) -> RelationshipFinding? {
    if position < targets.count, targets[position] == target { return findings[position] }
    return targets.firstIndex(of: target).map { findings[$0] }
  }
}
