// SPDX-License-Identifier: Apache-2.0

/// A line of code, or a block in braces.
indirect enum Statement {
  case line(String)
  case block(opening: String, [Statement])
  case closure(opening: String, signature: String, [Statement])
  case `switch`(subject: String, [(pattern: String, body: [Statement])])
}
