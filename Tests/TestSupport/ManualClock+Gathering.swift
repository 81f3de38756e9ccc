// SPDX-License-Identifier: Apache-2.0

package import KithClient

extension ManualClock {
  /// Returns a source of time under which queries wait for others, as with the system's time, until the test advances the
  /// clock.
  package func gatheringTimeSource() -> TimeSource {
    let time = timeSource()
    return TimeSource(self) { time.instant }
  }
}
