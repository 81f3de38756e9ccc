// SPDX-License-Identifier: Apache-2.0

public import KithCore

extension TIDClock {
  /// Creates a clock that reads a time source, with a random clock id.
  public convenience init(time: TimeSource) {
    self.init(clockID: .random(in: 0..<1_024)) { time.instant }
  }
}
