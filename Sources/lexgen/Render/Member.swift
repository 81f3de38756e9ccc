// SPDX-License-Identifier: Apache-2.0

/// A member of a type, or a declaration at the top level of a file.
indirect enum Member {
  case type(TypeDeclaration)
  case alias(name: String, type: String, documentation: String?)
  /// A case of an enum, with its associated type or its raw value.
  case enumCase(name: String, payload: String?, rawValue: String?)
  case constant(name: String, type: String, value: String)
  case stored(Stored)
  case computed(name: String, type: String, body: [Statement], documentation: String?)
  case initializer(parameters: [Parameter], throwing: String?, body: [Statement])
  case function(name: String, parameters: [Parameter], throwing: String?, body: [Statement])

  struct Stored {
    var name: String
    var type: String
    var value: String?
    var isConstant = false
    /// Whether the value is stored on the heap.
    var isBoxed = false
    var documentation: String?
  }

  struct Parameter {
    /// Includes the argument label if it differs: `from decoder`.
    var name: String
    var type: String
    var value: String?
  }

  /// Whether an empty line separates it from neighbours of the same kind.
  var standsAlone: Bool {
    switch self {
    case .type(let type): !type.members.isEmpty
    case .initializer, .function: true
    case .computed(_, _, let body, _): body.count > 1
    case .alias, .enumCase, .constant, .stored: false
    }
  }

  /// Members of the same group are not separated by an empty line.
  var group: Int {
    switch self {
    case .enumCase: 0
    case .constant: 1
    case .alias: 2
    case .stored, .computed: 3
    case .initializer, .function, .type: 4
    }
  }
}
