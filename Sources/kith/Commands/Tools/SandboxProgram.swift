// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore

/// `kith-sandbox`, a program of its own, so that the network of the sandbox is not part of every `kith`.
enum SandboxProgram {
  private static let name = "kith-sandbox"

  /// Becomes that program: the one beside this executable, or the one in `../libexec/kith`.
  ///
  /// - Throws: ``CommandFault`` (69) if there is none.
  static func become(_ arguments: [String]) throws(CommandFault) -> Never {
    let own = try executable()
    let folder = own.lastIndex(of: "/").map { own[..<$0] } ?? "."
    let candidates = ["\(folder)/\(name)", "\(folder)/../libexec/kith/\(name)"]
    // What this process has set for itself must not hold for the next program.
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
    for candidate in candidates {
      var words: [UnsafeMutablePointer<CChar>?] = ([candidate] + arguments).map { strdup($0) } + [nil]
      execv(candidate, &words)
      for word in words { free(word) }
      guard errno == ENOENT else {
        throw CommandFault(.unavailable, .systemError(candidate, String(cString: strerror(errno))))
      }
    }
    throw CommandFault(.unavailable, .noSandboxProgram(candidates))
  }

  /// The path of this executable, without symbolic links.
  static func executable() throws(CommandFault) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else {
      throw CommandFault(.internalError, .systemError("/proc/self/exe", String(cString: strerror(errno))))
    }
    return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
