// SPDX-License-Identifier: Apache-2.0

/// The exit status of `kith resolve`, gathered row by row.
struct ResolveVerdict {
  private var faults = FaultTally()
  private(set) var count = 0
  private var missing: Message?

  mutating func add(_ row: IdentityRow) {
    count += 1
    guard let fault = row.fault else { return }
    if fault.status == .notFound { missing = fault.said } else { faults.add(fault) }
  }

  /// What a person is told beside the rows; nil when they say everything.
  var complaint: Message? {
    if count == 0 { return .noInput("actors") }
    return faults.complaint(among: count) ?? (count == 1 ? missing : nil)
  }

  /// The status, once every row was added. A missing account is a fault only where it is alone.
  var status: ExitStatus {
    if faults.status != .success { return faults.status }
    return count == 1 && missing != nil ? .notFound : .success
  }
}
