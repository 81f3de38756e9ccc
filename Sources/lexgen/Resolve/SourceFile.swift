// SPDX-License-Identifier: Apache-2.0

/// A file as it was read: its path below the folder that is compiled, and what is in it.
struct SourceFile {
  let path: String
  let bytes: [UInt8]
}
