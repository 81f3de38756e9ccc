// SPDX-License-Identifier: Apache-2.0

/// The time as the loop thread last read it: once per iteration, not in each of libcurl's callbacks.
final class CurlLoopClock {
  private(set) var now = ContinuousClock.now

  func update() { now = ContinuousClock.now }
}
