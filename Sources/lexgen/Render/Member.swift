// SPDX-License-Identifier: Apache-2.0

/// What can stand in a type, or at the top of a file.
indirect enum Member {
  case type(TypeDeclaration)
  case alias(name: String, type: String, documentation: String?)
  /// An enum's case, with the type that it carries or the raw value that stands for it.
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
    /// Whether the value is kept elsewhere.
    var isBoxed = false
    var documentation: String?
  }

  struct Parameter {
    /// With the label, where it is another: `from decoder`.
    var name: String
    var type: String
    var value: String?
  }

  /// Whether an empty line parts it from its neighbours of the same kind.
  var standsAlone: Bool {
    switch self {
    case .type(let type): !type.members.isEmpty
    case .initializer, .function: true
    case .computed(_, _, let body, _): body.count > 1
    case .alias, .enumCase, .constant, .stored: false
    }
  }

  /// Members of one group follow each other without an empty line.
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
