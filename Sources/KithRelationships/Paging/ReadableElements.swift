// SPDX-License-Identifier: Apache-2.0

/// An array in an answer, decoded element by element: one that breaks the lexicon does not affect the others.
package struct ReadableElements<Element: Decodable>: Decodable {
  /// The elements that can be read, in order.
  package let elements: [Element]
  /// What is wrong with the others.
  package let faults: [DecodingError]

  private struct Slot: Decodable {
    let result: Result<Element, DecodingError>

    init(from decoder: any Decoder) throws {
      do { result = .success(try Element(from: decoder)) } catch let error as DecodingError {
        result = .failure(error)
      }
    }
  }

  /// Decodes the array.
  ///
  /// - Throws: `DecodingError` if it is not an array; what the elements throw, other than that.
  package init(from decoder: any Decoder) throws {
    // Mostly all can be read, which takes less than a slot for each.
    do {
      (elements, faults) = (try [Element](from: decoder), [])
      return
    } catch is DecodingError {}
    var elements: [Element] = []
    var faults: [DecodingError] = []
    for slot in try [Slot](from: decoder) {
      switch slot.result {
      case .success(let element): elements.append(element)
      case .failure(let fault): faults.append(fault)
      }
    }
    (self.elements, self.faults) = (elements, faults)
  }
}

extension ReadableElements: Sendable where Element: Sendable {}
