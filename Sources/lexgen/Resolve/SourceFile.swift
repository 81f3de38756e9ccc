// SPDX-License-Identifier: Apache-2.0

/// A source file: its path below the compiled folder, and its contents.
struct SourceFile {
  let path: String
  let bytes: [UInt8]
}
