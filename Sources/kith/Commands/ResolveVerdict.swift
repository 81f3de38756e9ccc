// SPDX-License-Identifier: Apache-2.0

/// The exit status of `kith resolve`, gathered row by row.
struct ResolveVerdict {
  private var faults = FaultTally()
  private(set) var count = 0
  private var missing: String?

  mutating func add(_ row: IdentityRow) {
    count += 1
    guard let fault = row.fault else { return }
    if fault.status == .notFound { missing = fault.message } else { faults.add(fault) }
  }

  /// What a person is told beside the rows; nil when they say everything.
  var complaint: String? {
    if count == 0 { return "no actors were given, so nothing was asked" }
    return faults.complaint(among: count) ?? (count == 1 ? missing : nil)
  }

  /// The status, once every row was added. A missing account is a fault only where it is alone.
  var status: ExitStatus {
    if faults.status != .success { return faults.status }
    return count == 1 && missing != nil ? .notFound : .success
  }
}
