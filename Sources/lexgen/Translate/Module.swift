// SPDX-License-Identifier: Apache-2.0

/// A module that generated code may import, with the names by which it shows that it needs it.
struct Module {
  let name: String
  let types: Set<String>
}
