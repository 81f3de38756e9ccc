// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct NullableTests {
  @Test(arguments: [
    ("[null]", Nullable<Int>.null), ("[3]", .value(3)),
  ]) func distinguishesNullFromAValue(json: String, value: Nullable<Int>) throws {
    #expect(try JSONCoding.decode([Nullable<Int>].self, from: Array(json.utf8)) == [value])
    #expect(String(decoding: try JSONCoding.encode([value]), as: UTF8.self) == json)
    #expect(value.value == (json == "[null]" ? nil : 3))
  }
}
