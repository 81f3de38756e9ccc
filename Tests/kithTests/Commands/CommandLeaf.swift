// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

@testable import kith

/// A command that ends the tree, with the names that are typed.
struct CommandLeaf {
  let path: [String]
  let type: any ParsableCommand.Type

  static let all = leaves(of: Kith.self, [])

  private static func leaves(of type: any ParsableCommand.Type, _ path: [String]) -> [CommandLeaf] {
    let inner = type.configuration.subcommands
    guard !inner.isEmpty else { return [CommandLeaf(path: path, type: type)] }
    return inner.flatMap { leaves(of: $0, path + [$0.configuration.commandName ?? $0.commandName]) }
  }

  var line: String { path.joined(separator: " ") }

  /// Whether the command or a group of its options declares a property, such as `yes`.
  ///
  /// Looks at the types alone: the help of all commands takes seconds in a debug build.
  func declares(_ property: String) -> Bool { Self.declares("_\(property)", in: type) }

  private static func declares(_ label: String, in type: any ParsableArguments.Type) -> Bool {
    Mirror(reflecting: type.init()).children.contains { child in
      if child.label == label { return true }
      guard let group = child.value as? any OptionGroupType else { return false }
      return declares(label, in: group.options)
    }
  }
}

/// Any `OptionGroup`.
private protocol OptionGroupType {
  var options: any ParsableArguments.Type { get }
}

extension OptionGroup: OptionGroupType {
  var options: any ParsableArguments.Type { Value.self }
}
