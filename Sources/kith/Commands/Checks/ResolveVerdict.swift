// SPDX-License-Identifier: Apache-2.0

/// Collects rows into the exit status of `kith resolve`.
struct ResolveVerdict {
  private var faults = FaultTally()
  private(set) var count = 0
  private var missing: Message?

  mutating func add(_ row: IdentityRow) {
    count += 1
    guard let fault = row.fault else { return }
    if fault.status == .notFound { missing = fault.said } else { faults.add(fault) }
  }

  /// The message in addition to the rows; nil if they say everything.
  var complaint: Message? {
    if count == 0 { return .noInput("accounts") }
    return faults.complaint(among: count) ?? (count == 1 ? missing : nil)
  }

  /// The status, after every row was added. A missing account is an error only if it is the only one.
  var status: ExitStatus {
    if faults.status != .success { return faults.status }
    return count == 1 && missing != nil ? .notFound : .success
  }
}
