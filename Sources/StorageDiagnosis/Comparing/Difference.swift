// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A part whose value was signed by the client in one form and by the service in another.
struct Difference {
  let part: SignedPart

  /// The value that was sent, or `nil` if the part was absent.
  let sent: String?

  /// The value that the service saw, or `nil` if the part was absent.
  let seen: String?

  /// Returns the parts that differ, the most informative first; the hash of the canonical request is left out.
  ///
  /// A session token that is masked on one side counts as equal.
  ///
  /// - Parameters:
  ///   - sent: The parts that the client signed.
  ///   - seen: The parts that the service signed.
  ///   - dateHeaders: The headers that contain the time of signing.
  static func all(_ sent: SignedParts, _ seen: SignedParts, dateHeaders: Set<String>) -> [Difference] {
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
    return differences.enumerated().map { (rank: $0.element.part.rank(dateHeaders), offset: $0.offset, $0.element) }
      .sorted { ($0.rank, $0.offset) < ($1.rank, $1.offset) }.map(\.2)
  }

  static func isMasked(_ value: String) -> Bool { value.contains(Secret.mask) || value.contains("***") }
}

extension SignedPart {
  /// Whether the value is a session token.
  var isToken: Bool { secretName.map { SecretName.isToken($0) } ?? false }

  /// Whether the value must not be shown.
  ///
  /// A `?` in a key that was decoded in transit changes which part counts as the name of a parameter.
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
  /// Returns the finding for this difference.
  ///
  /// - Parameters:
  ///   - cause: The cause of the difference.
  ///   - others: The other differences.
  func finding(_ cause: SignatureDiagnosis.Cause, others: [Difference]) -> SignatureFinding {
    var finding = SignatureFinding(
      cause, line: part.name.onOneLine, sent: sent.map(shown), seen: seen.map(shown))
    finding.otherLines = others.map(\.part.name.onOneLine)
    return finding
  }

  private func shown(_ value: String) -> String {
    part.isSecret ? Secret.mask : value.onOneLine
  }
}
