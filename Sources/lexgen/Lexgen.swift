// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// `lexgen [--check] LEXICONS OUTPUT`: makes Swift of all lexicons below a folder, or checks that it is up to date.
@main
struct Lexgen {
  static func main() {
    var arguments = CommandLine.arguments.dropFirst().map { $0 }
    let isCheck = arguments.first == "--check"
    if isCheck { arguments.removeFirst() }
    guard arguments.count == 2, !arguments.contains(where: { $0.hasPrefix("-") }) else {
      return end(["usage: lexgen [--check] LEXICONS OUTPUT"], status: 64)
    }
    do {
      let diagnostics = Diagnostics()
      let lexicons = Folder(path: arguments[0])
      let roots = Roots(text: String(decoding: try lexicons.bytes(of: "roots.txt"), as: UTF8.self))
      let files = Compiler().compile(
        try lexicons.files(ending: ".json"), roots: roots, diagnostics: diagnostics)
      if !diagnostics.isEmpty {
        return end(diagnostics.all.map { "\(arguments[0])/\($0)" }, status: 65)
      }
      let output = Folder(path: arguments[1])
      let differences = try output.differences(from: files)
      if isCheck {
        end(differences.map { "\(arguments[1])/\($0) is not what lexgen makes today" }, status: 1)
      } else {
        try output.write(files, over: differences)
      }
    } catch {
      end(["lexgen: \(error)"], status: 74)
    }
  }

  /// Says what is wrong on stderr and ends with the status; no lines, no end.
  private static func end(_ lines: [String], status: Int32) {
    if lines.isEmpty { return }
    let text = Array((lines.joined(separator: "\n") + "\n").utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(status)
  }
}
