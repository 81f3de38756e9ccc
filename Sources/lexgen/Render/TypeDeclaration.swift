// SPDX-License-Identifier: Apache-2.0

/// A struct, an enum or an extension.
struct TypeDeclaration {
  var introducer: Introducer
  var name: String
  var conformances: [String] = []
  var documentation: String?
  var members: [Member] = []

  enum Introducer: String {
    case structure = "public struct"
    case enumeration = "public enum"
    case indirectEnumeration = "public indirect enum"
    case `extension` = "extension"
  }
}
