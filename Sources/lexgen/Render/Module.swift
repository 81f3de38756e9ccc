// SPDX-License-Identifier: Apache-2.0

/// A module that generated code may import, with the names that require the import.
struct Module {
  let name: String
  let types: Set<String>
}
