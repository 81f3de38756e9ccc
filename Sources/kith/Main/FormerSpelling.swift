// SPDX-License-Identifier: Apache-2.0

/// A command line as an earlier version spelled it. It still works, and says how it is spelled now.
struct FormerSpelling {
  /// The arguments as they are spelled now.
  let arguments: ArraySlice<String>
  let message: Message

  /// - Returns: nil for a command line that is spelled as now.
  init?(_ arguments: ArraySlice<String>) {
    // `report -o` wrote statistics; `report` alone is for moderators.
    let options = arguments.prefix { $0 != "--" }.dropFirst()
    guard arguments.first == "report", options.contains(where: Self.isOutput) else { return nil }
    self.arguments = ["stats"] + arguments.dropFirst()
    message = .formerSpelling("kith report -o", "kith stats -o")
  }

  private static func isOutput(_ argument: String) -> Bool {
    ["-o", "--output"].contains { argument == $0 || argument.hasPrefix("\($0)=") }
  }
}
