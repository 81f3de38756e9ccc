// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How much more work a function does for four times as much input: about 4 if it is linear, 16 if it is
/// quadratic.
///
/// The processor time of this thread is measured, so other tests and processes hardly matter. The least of
/// several runs counts.
package func workGrowth(
  from size: Int, runs: Int = 3, _ work: (_ size: Int) throws -> Void
) rethrows -> Double {
  func least(_ size: Int) throws -> Double {
    var least = Double.infinity
    for _ in 0..<runs {
      let start = threadTime()
      try work(size)
      least = min(least, threadTime() - start)
    }
    return least
  }
  try work(size / 4)
  let small = try least(size)
  return try least(4 * size) / max(small, 1e-6)
}

/// The processor time of this thread in seconds.
private func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
