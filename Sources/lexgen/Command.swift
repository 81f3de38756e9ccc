// SPDX-License-Identifier: Apache-2.0

/// `lexgen [--check] LEXICONS OUTPUT`: generates Swift from all lexicons below a folder, or checks that the
/// existing files are up to date.
enum Command {
  /// The outcome of a run; the status is 0 without complaints.
  struct Outcome: Equatable {
    var status: Int32 = 0
    var complaints: [String] = []
  }

  /// The status is 1 for a difference, 64 for wrong usage, 65 for an invalid document, 74 for a file error.
  static func run(_ arguments: [String]) -> Outcome {
    let isCheck = arguments.first == "--check"
    let folders = arguments.dropFirst(isCheck ? 1 : 0).map { $0 }
    guard folders.count == 2, !folders.contains(where: { $0.hasPrefix("-") }) else {
      return Outcome(status: 64, complaints: ["usage: lexgen [--check] LEXICONS OUTPUT"])
    }
    do {
      return try run(lexicons: Folder(path: folders[0]), output: Folder(path: folders[1]), isCheck: isCheck)
    } catch {
      return Outcome(status: 74, complaints: ["lexgen: \(error)"])
    }
  }

  private static func run(lexicons: Folder, output: Folder, isCheck: Bool) throws -> Outcome {
    let diagnostics = Diagnostics()
    let roots = Roots(text: String(decoding: try lexicons.bytes(of: "roots.txt"), as: UTF8.self))
    let bounds = Bounds(
      text: String(decoding: try lexicons.bytes(of: "bounds.txt"), as: UTF8.self), file: "bounds.txt",
      diagnostics: diagnostics)
    let files = Compiler().compile(
      try lexicons.files(ending: ".json"), roots: roots, bounds: bounds, diagnostics: diagnostics)
    if !diagnostics.isEmpty {
      return Outcome(status: 65, complaints: diagnostics.all.map { "\(lexicons.path)/\($0)" })
    }
    let differences = try output.differences(from: files)
    if !isCheck { try output.write(files, over: differences) }
    if differences.isEmpty || !isCheck { return Outcome() }
    return Outcome(
      status: 1,
      complaints: differences.map { "\(output.path)/\($0) is out of date; run lexgen again" })
  }
}
