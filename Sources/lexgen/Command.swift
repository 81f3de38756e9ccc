// SPDX-License-Identifier: Apache-2.0

/// `lexgen [--check] LEXICONS OUTPUT`: makes Swift of all lexicons below a folder, or checks that what is
/// there is what it would make.
enum Command {
  /// How a run ended; without complaints the status is 0.
  struct Outcome: Equatable {
    var status: Int32 = 0
    var complaints: [String] = []
  }

  /// Status 1 is a difference, 64 wrong usage, 65 a fault of a document, 74 trouble with a file.
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
    let files = Compiler().compile(
      try lexicons.files(ending: ".json"), roots: roots, diagnostics: diagnostics)
    if !diagnostics.isEmpty {
      return Outcome(status: 65, complaints: diagnostics.all.map { "\(lexicons.path)/\($0)" })
    }
    let differences = try output.differences(from: files)
    if !isCheck { try output.write(files, over: differences) }
    if differences.isEmpty || !isCheck { return Outcome() }
    return Outcome(
      status: 1,
      complaints: differences.map { "\(output.path)/\($0) is not what lexgen makes today" })
  }
}
