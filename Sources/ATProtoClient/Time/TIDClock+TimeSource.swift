// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

extension TIDClock {
  /// Names records after a source of time, told from other clocks of the account by a number drawn at random.
  public convenience init(time: TimeSource) {
    self.init(clockID: .random(in: 0..<1_024)) { time.microsecondsSinceEpoch }
  }
}
