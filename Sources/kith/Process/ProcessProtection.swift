// SPDX-License-Identifier: Apache-2.0

import CProcess
import Glibc

/// Keeps passwords and tokens in memory from other processes of the same user, and from the disk.
enum ProcessProtection {
  /// From here on a crash writes no core file, and only root can attach a debugger or read the memory.
  ///
  /// A debugger that starts the process still works. What the system refuses is left as it is: an administrator
  /// may have decided more strictly.
  static func apply() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = kith_set_dumpable(0)
  }
}
