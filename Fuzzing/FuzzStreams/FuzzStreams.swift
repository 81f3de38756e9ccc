// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import FuzzEntries
import Glibc

@main enum FuzzStreams {
  static func main() { exit(Fuzzing.run { Fuzzing.feed($0, $1, to: fuzzStreams) }) }
}
