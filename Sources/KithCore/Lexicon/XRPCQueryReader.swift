// SPDX-License-Identifier: Apache-2.0

/// Reads the items of a query string as the parameters of a method, for servers.
///
/// All functions throw a ``ValidationError`` that names the parameter. Unknown parameters are ignored.
public struct XRPCQueryReader: Sendable {
  private let items: [XRPCQueryItem]

  /// Creates a reader of decoded items, in the order of the request.
  public init(_ items: [XRPCQueryItem]) { self.items = items }

  /// Returns the value of a required parameter.
  public func required<Value: LosslessStringConvertible>(_ name: String) throws(ValidationError) -> Value {
    try required(name, Value.init)
  }

  /// Returns the value of a required parameter that is one of a lexicon's strings.
  public func required<Value: RawRepresentable<String>>(_ name: String) throws(ValidationError) -> Value {
    try required(name, Value.init(rawValue:))
  }

  /// Returns the value of an optional parameter; nil if it is absent.
  public func optional<Value: LosslessStringConvertible>(_ name: String) throws(ValidationError) -> Value? {
    try optional(name, Value.init)
  }

  /// Returns the value of an optional parameter that is one of a lexicon's strings; nil if it is absent.
  public func optional<Value: RawRepresentable<String>>(_ name: String) throws(ValidationError) -> Value? {
    try optional(name, Value.init(rawValue:))
  }

  /// Returns all values of a repeated parameter, in order.
  public func each<Value: LosslessStringConvertible>(_ name: String) throws(ValidationError) -> [Value] {
    try each(name, Value.init)
  }

  /// Returns all values of a repeated parameter whose values are a lexicon's strings, in order.
  public func each<Value: RawRepresentable<String>>(_ name: String) throws(ValidationError) -> [Value] {
    try each(name, Value.init(rawValue:))
  }

  private func required<Value>(_ name: String, _ parse: (String) -> Value?) throws(ValidationError) -> Value {
    guard let value = try optional(name, parse) else {
      throw ValidationError(path: "", reason: "Params must have the property \"\(name)\"")
    }
    return value
  }

  private func optional<Value>(_ name: String, _ parse: (String) -> Value?) throws(ValidationError) -> Value?
  {
    let values = try each(name, parse)
    guard values.count < 2 else {
      throw ValidationError(path: name, reason: "given \(values.count) times, at most once allowed")
    }
    return values.first
  }

  private func each<Value>(_ name: String, _ parse: (String) -> Value?) throws(ValidationError) -> [Value] {
    var values: [Value] = []
    for item in items where item.name == name {
      guard let value = parse(item.value) else {
        throw ValidationError(path: name, reason: "\"\(item.value)\" is not valid")
      }
      values.append(value)
    }
    return values
  }
}
