// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A component of the signed strings whose value differs between the client and the service.
struct Difference {
  let part: SignedPart

  /// The value that the client signed, or `nil` if the component was absent.
  let sent: String?

  /// The value that the service signed, or `nil` if the component was absent.
  let seen: String?

  /// Returns the components that differ, starting with the most informative one, without the canonical request's hash.
  ///
  /// A session token that is masked on one side counts as equal.
  ///
  /// - Parameters:
  ///   - sent: The components that the client signed.
  ///   - seen: The components that the service signed.
  ///   - dateHeaders: The lowercase names of the headers that contain the signing time.
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
  /// Whether the component's value is a session token.
  var isToken: Bool { secretName.map { SecretName.isToken($0) } ?? false }

  /// Whether the component's value is secret and must not be shown.
  ///
  /// If a `?` in a key was decoded in transit, it changes which part counts as a parameter name.
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
  /// Returns the finding that describes this difference.
  ///
  /// - Parameters:
  ///   - cause: The cause of the difference.
  ///   - others: The other differences between the same strings.
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
