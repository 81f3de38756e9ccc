// SPDX-License-Identifier: Apache-2.0

import CKithProcess
import Glibc

/// Protects passwords and tokens in memory from other processes of the same user and from core files.
enum ProcessProtection {
  /// Disables core files, and lets only root attach a debugger or read the memory.
  ///
  /// A debugger that starts the process still works. Failures are ignored: an administrator may have set
  /// stricter limits.
  static func apply() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = kith_set_dumpable(0)
  }
}
