// SPDX-License-Identifier: Apache-2.0

/// Writes labels of domain names in ASCII (<https://www.rfc-editor.org/rfc/rfc3492>), without the prefix `xn--`.
package enum Punycode {
  private static let base = 36
  private static let least = 1
  private static let most = 26
  private static let skew = 38
  private static let damping = 700

  /// The ASCII form of a domain name that may be written in Unicode, in lower case. It is neither normalized nor checked.
  package static func ascii(_ name: some StringProtocol) -> String {
    name.lowercased().split(separator: ".", omittingEmptySubsequences: false).map { label in
      label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : "xn--" + encode(label.unicodeScalars)
    }.joined(separator: ".")
  }

  /// Encodes a label. It is neither normalized nor checked.
  package static func encode(_ label: some Collection<Unicode.Scalar>) -> String {
    var output = label.filter(\.isASCII).map { UInt8($0.value) }
    let basic = output.count
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var (code, delta, bias, handled) = (128, 0, 72, basic)
    while handled < label.count {
      let next = label.lazy.map { Int($0.value) }.filter { $0 >= code }.min() ?? code
      delta += (next - code) * (handled + 1)
      code = next
      for scalar in label {
        if scalar.value < code { delta += 1 }
        guard scalar.value == code else { continue }
        append(delta, bias, to: &output)
        bias = adapted(delta, handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends a number with variable length.
  private static func append(_ number: Int, _ bias: Int, to output: inout [UInt8]) {
    var (remaining, position) = (number, base)
    while true {
      let threshold = min(max(position - bias, least), most)
      guard remaining >= threshold else { break }
      output.append(digit(threshold + (remaining - threshold) % (base - threshold)))
      remaining = (remaining - threshold) / (base - threshold)
      position += base
    }
    output.append(digit(remaining))
  }

  private static func digit(_ value: Int) -> UInt8 {
    UInt8(value < most ? value + 97 : value - most + 48)
  }

  private static func adapted(_ delta: Int, _ points: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damping : delta / 2
    delta += delta / points
    var steps = 0
    while delta > (base - least) * most / 2 {
      delta /= base - least
      steps += base
    }
    return steps + (base - least + 1) * delta / (delta + skew)
  }
}
