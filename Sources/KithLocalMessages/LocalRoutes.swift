// SPDX-License-Identifier: Apache-2.0

/// What a server does for each method and path.
///
/// A part of a pattern in braces stands for any one part of a path: `/jobs/{job}`. The first pattern that fits counts.
package struct LocalRoutes<Action: Sendable>: Sendable {
  private enum Part: Sendable, Hashable {
    case fixed(String)
    case named(String)
  }

  private struct Route {
    let method: String
    let parts: [Part]
    let action: Action
  }

  /// What a request asks for.
  package enum Match {
    /// The values of the parts in braces, decoded.
    case found(Action, [String: String])
    /// Only these methods are served there.
    case otherMethods([String])
    case nothing
  }

  private var routes: [Route] = []

  package init() {}

  /// Serves requests of a method for paths of a pattern. What is served for GET is served for HEAD as well.
  package mutating func add(_ method: String, _ pattern: String, _ action: Action) {
    let parts = pattern.split(separator: "/").map { part -> Part in
      part.first == "{" && part.last == "}"
        ? .named(String(part.dropFirst().dropLast())) : .fixed(String(part))
    }
    routes.append(Route(method: method, parts: parts, action: action))
  }

  /// Finds what a request asks for. A path that ends with a slash is another one, the root excepted.
  package func match(_ request: LocalRequest) -> Match {
    let texts = request.path.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var parts: [String] = []
    for text in request.path == "/" ? [] : texts {
      guard let part = try? QueryItems.decoded(text), !part.isEmpty else { return .nothing }
      parts.append(part)
    }
    var methods: [String] = []
    for route in routes {
      guard let values = Self.values(of: route.parts, in: parts) else { continue }
      if route.method == request.method || route.method == "GET" && request.method == "HEAD" {
        return .found(route.action, values)
      }
      if !methods.contains(route.method) { methods.append(route.method) }
    }
    return methods.isEmpty ? .nothing : .otherMethods(methods)
  }

  private static func values(of pattern: [Part], in parts: [String]) -> [String: String]? {
    guard pattern.count == parts.count else { return nil }
    var values: [String: String] = [:]
    for (part, text) in zip(pattern, parts) {
      switch part {
      case .fixed(let fixed): guard fixed == text else { return nil }
      case .named(let name): values[name] = text
      }
    }
    return values
  }
}

extension LocalRoutes.Match: Sendable {}
