internal import StorageAuth

/// A part that was signed in one way and seen in another.
struct Difference {
  let part: LinePart

  /// What was sent; nothing if the part was not there.
  let sent: String?

  /// What the service saw; nothing if the part was not there.
  let seen: String?

  /// The parts that differ between two texts, the most telling first; the hash of the rest is left out.
  ///
  /// A session token that is masked on one side counts as the same.
  static func all(_ sent: SignedText, _ seen: SignedText) -> [Difference] {
    let parts = sent.parts + seen.parts.filter { sent.values[$0] == nil }
    var differences: [Difference] = []
    for part in parts where part != .requestHash {
      let (first, second) = (sent.values[part] ?? [], seen.values[part] ?? [])
      if first.elementsEqual(second, by: { $0.isIdentical(to: $1) }) { continue }
      if part.isToken, !first.isEmpty, second.contains(where: isMasked) { continue }
      differences.append(
        Difference(
          part: part, sent: first.isEmpty ? nil : first.joined(separator: ", "),
          seen: second.isEmpty ? nil : second.joined(separator: ", ")))
    }
    return differences.enumerated().sorted { ($0.element.part.rank, $0.offset) < ($1.element.part.rank, $1.offset) }
      .map(\.element)
  }

  static func isMasked(_ value: String) -> Bool { value.contains(Secret.mask) || value.contains("***") }
}

extension LinePart {
  /// Whether the value is a session token.
  var isToken: Bool { secretName.map { SecretName.isToken($0) } ?? false }

  /// Whether the value must not be shown.
  ///
  /// A `?` in a key that was decoded on the way shifts what counts as the name of a parameter.
  var isSecret: Bool {
    secretName.map { SecretName.isSecret($0) } ?? false
  }

  private var secretName: String? {
    switch self {
    case .header(let name), .parameter(let name): name
    default: nil
    }
  }
}

extension Difference {
  /// The diagnosis of this difference.
  ///
  /// - Parameters:
  ///   - cause: What it comes from.
  ///   - others: What else differs.
  func diagnosis(_ cause: SignatureDiagnosis.Cause, others: [Difference]) -> SignatureDiagnosis {
    SignatureDiagnosis(
      cause, line: part.name.onOneLine, sent: sent.map(shown), seen: seen.map(shown),
      otherLines: others.map(\.part.name.onOneLine))
  }

  private func shown(_ value: String) -> String {
    part.isSecret ? Secret.mask : value.onOneLine
  }
}
