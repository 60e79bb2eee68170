// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension SignatureComparison {
  /// The finding for a signing time that is too far from the server's time.
  var skew: SignatureFinding {
    let signed = answer.instant("RequestTime") ?? sent.reading?.signedAt
    guard let signed, let server = answer.serverTime else { return SignatureFinding(.clockSkew) }
    let difference = signed.duration(to: server)
    let direction = difference < .zero ? "ahead of" : "behind"
    let isWindow = sent.reader.signsWindow && difference < .zero
    return SignatureFinding(
      isWindow ? .notYetValid : .clockSkew, line: isWindow ? SignedPart.window.name : SignedPart.signingTime.name,
      sent: signed.iso8601, seen: server.iso8601,
      detail: "The request was signed for \(signed), \(difference.magnitude.inWords) \(direction) the service.")
  }

  /// The finding for a signature that is not valid yet.
  var prematurity: SignatureFinding {
    var finding = skew
    finding.cause = .notYetValid
    return finding
  }

  /// The finding for a signature that has expired.
  var expiry: SignatureFinding {
    let end = answer.instant("Expires") ?? sent.reading?.end
    guard let end, let server = answer.serverTime else { return SignatureFinding(.expired) }
    let line = sent.reader.signsWindow ? SignedPart.window.name : "end of the URL"
    return SignatureFinding(
      .expired, line: line, sent: end.iso8601, seen: server.iso8601,
      detail: "It expired at \(end), \(end.duration(to: server).magnitude.inWords) before the service checked it.")
  }
}

extension Duration {
  /// The human-readable duration in whole seconds.
  var inWords: String {
    let seconds = components.seconds
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
      .filter { $0.0 > 0 }
    return parts.isEmpty ? "0 s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
