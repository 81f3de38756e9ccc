// SPDX-License-Identifier: Apache-2.0

/// What a made-up account says of itself, worked out from its own number whenever it is asked for.
struct Stranger {
  private let traits: UInt64

  init(index: Int, seed: UInt64) {
    traits = SplitMix64.mix(SplitMix64.mix(seed) &+ UInt64(index))
  }

  var displayName: String {
    let given = Self.givenNames[Int(traits % UInt64(Self.givenNames.count))]
    let family = Self.familyNames[Int((traits >> 16) % UInt64(Self.familyNames.count))]
    return "\(given) \(family)"
  }

  /// One in three has none.
  var biography: String {
    let interest = Self.interests[Int((traits >> 32) % UInt64(Self.interests.count))]
    return (traits >> 40) % 3 == 0 ? "" : "Mostly \(interest)."
  }

  /// Two in a hundred are deactivated, one is taken down.
  var status: SandboxAccount.Status {
    switch (traits >> 48) % 100 {
    case 0: .takenDown
    case 1, 2: .deactivated
    default: .active
    }
  }

  private static let givenNames = [
    "Ada", "Amina", "Anouk", "Bruno", "Chidi", "Dalia", "Elif", "Emil", "Farid", "Freya", "Hana", "Ines",
    "Jonas", "Kenji", "Lucía", "Mateo", "Mei", "Nadia", "Noor", "Oskar", "Priya", "Ravi", "Sami", "Zoë",
  ]
  private static let familyNames = [
    "Abe", "Berg", "Costa", "Diallo", "Eriksen", "Fischer", "Garcia", "Haddad", "Ito", "Jansen", "Kaya",
    "Lindqvist", "Moreau", "Novak", "Okafor", "Park", "Quispe", "Rossi", "Singh", "Tanaka", "Varga", "Wood",
  ]
  private static let interests = [
    "birds", "bread", "compilers", "football", "gardens", "maps", "old films", "trains",
  ]
}
