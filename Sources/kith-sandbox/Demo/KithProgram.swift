// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where `kith` is.
enum KithProgram {
  /// Returns the folder of the `kith` at a path, or of the one beside this program, or of the one in `bin` if
  /// this program is in `libexec/kith`.
  ///
  /// - Throws: ``ProgramFault`` if there is none.
  static func folder(of path: String?) throws(ProgramFault) -> String {
    let own = folder(ofFile: try executable())
    let candidates = path.map { [$0] } ?? ["\(own)/kith", "\(own)/../../bin/kith"]
    for candidate in candidates where access(candidate, X_OK) == 0 { return folder(ofFile: candidate) }
    throw ProgramFault(
      .unavailable,
      "the demo needs kith, which is not at \(candidates.joined(separator: " or ")); name it with --kith")
  }

  private static func folder(ofFile path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  private static func executable() throws(ProgramFault) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { throw .system("/proc/self/exe", status: .internalError) }
    return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
