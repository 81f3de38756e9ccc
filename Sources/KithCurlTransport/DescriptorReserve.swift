// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Descriptors that connections leave to the rest of the process. Libraries end it with a signal where they have none: Dispatch
/// when it looks at its threads, once a second.
enum DescriptorReserve {
  /// Files of the user, databases, lookups of names, and what libraries open for a moment.
  static let size: Int32 = 8

  /// Whether a descriptor that was just opened leaves the reserve alone: the system gives out the lowest number that is free.
  static func isUntouched(by descriptor: Int32, of limit: Int = descriptorLimit) -> Bool {
    Int(descriptor) < limit - Int(size)
  }

  /// The number of descriptors that this process may have.
  private static var descriptorLimit: Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return .max }
    return Int(clamping: limits.rlim_cur)
  }
}
