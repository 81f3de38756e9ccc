// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithClient

@Suite struct HostFaultTests {
  @Test(arguments: [
    (0, "0 s"), (49, "0 s"), (50, "0.1 s"), (1_234, "1.2 s"), (9_999, "10 s"), (10_001, "11 s"),
    (60_000, "1 min"),
    (290_000, "4 min 50 s"), (3_600_000, "1 h"), (5_400_000, "1 h 30 min"), (-5, "0 s"),
  ]) func saysHowLongInFewWords(milliseconds: Int, words: String) {
    #expect(Duration.milliseconds(milliseconds).inWords == words)
  }

  @Test func saysWhatHappenedAndWhenTheNextAttemptIs() {
    let refusal = TrafficRefusal.resting(cause: .status(503), ago: .milliseconds(400), wait: .seconds(3))
    #expect(
      refusal.words
        == "not sent: the host failed 0.4 s ago: it answered 503; next attempt in 3 s")
  }
}
