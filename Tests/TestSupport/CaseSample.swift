// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Cases of a test of which `make test` runs a part: the same part each time.
///
/// With `KITH_CASES=all` in the environment, as in `make test-long`, it is all of them.
package enum CaseSample {
  /// Whether all cases run.
  package static let isWhole = ProcessInfo.processInfo.environment["KITH_CASES"] == "all"

  /// Returns one of this many cases, from the first on, in their order.
  package static func of<Cases: Collection>(_ cases: Cases, one number: Int) -> [Cases.Element] {
    cases.enumerated().filter { isWhole || $0.offset.isMultiple(of: number) }.map(\.element)
  }
}
