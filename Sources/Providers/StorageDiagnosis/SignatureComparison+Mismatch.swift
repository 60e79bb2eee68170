// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

extension SignatureComparison {
  /// The finding for a signature that does not match, from a comparison of the client's and the service's strings to
  /// sign.
  var comparison: SignatureFinding {
    guard let signed = sent.parts else {
      guard let problem = sent.problem else {
        return SignatureFinding(
          .unsigned,
          detail: "The compared request carries no authorization; pass the request that was sent.")
      }
      return SignatureFinding(.malformedAuthorization, detail: problem.message)
    }
    guard answer.stringToSign != nil || answer.canonicalRequest != nil else {
      return SignatureFinding(.unknown, detail: "The service does not show its string to sign.")
    }
    guard let seen = sent.signedParts(answer.stringToSign, answer.canonicalRequest) else {
      return SignatureFinding(
        .hiddenDifference, detail: "The service shows an incomplete string to sign, so no line can be compared."
      )
    }
    if let version = signed.version, let other = seen.version, version != other {
      return SignatureFinding(.wrongVersion, line: SignedPart.algorithm.name, sent: version, seen: other)
    }
    let differences = Difference.all(
      sent.parts(showing: answer) ?? signed, seen, dateHeaders: sent.reader.dateHeaders)
    if let first = differences.first {
      return first.finding(first.cause(in: sent), others: Array(differences.dropFirst()))
    }
    return withoutDifference(signed, seen)
  }

  /// Returns the finding for strings whose components are equal, from the hashes and the strings themselves.
  private func withoutDifference(_ signed: SignedParts, _ seen: SignedParts) -> SignatureFinding {
    if let difference = orderDifference(signed) { return difference }
    if let first = signed[.requestHash], let second = seen[.requestHash], first != second {
      var detail = "All lines that the service shows are equal, but the hash of the canonical request differs."
      if answer.canonicalRequest == nil, let found = likelyRewriting(hashingTo: second) { return found }
      if answer.canonicalRequest == nil {
        detail = "The service shows only the hash of the canonical request, which differs."
      } else if !sent.tokens.isEmpty {
        return SignatureFinding(
          .tokenOfAnotherKey, line: "session token", sent: Secret.mask, seen: Secret.mask, detail: detail)
      }
      return SignatureFinding(
        .hiddenDifference, line: SignedPart.requestHash.name, sent: first, seen: second.onOneLine, detail: detail)
    }
    var detail = "All lines are equal."
    if let hash = seen[.requestHash], isWhole(hash) { detail += " So are the hashes of what the service shows." }
    var finding = SignatureFinding(.unknown, detail: detail)
    finding.stringsAreEqual = stringsAreEqual
    return finding
  }

  /// Whether the service signed the string that belongs to the sent request, byte for byte.
  ///
  /// A string in which the service masked the session token is no proof. The string to sign of V4, COS and S3 contains
  /// the hash of everything else that is signed.
  private var stringsAreEqual: Bool {
    guard let first = sent.texts?.stringToSign, let second = answer.stringToSign else { return false }
    return (first.removingByteSuffix("\n") ?? first[...]).utf8.elementsEqual(
      (second.removingByteSuffix("\n") ?? second[...]).utf8)
  }

  /// Returns the finding for a common change of the request that results in the hash that the service shows.
  ///
  /// Returns `nil` if no common change results in that hash.
  private func likelyRewriting(hashingTo hash: String) -> SignatureFinding? {
    guard let signed = sent.parts else { return nil }
    for request in LikelyRewriting.all(of: sent.request) {
      let seen = SentRequest(request, sent.reader, stringToSign: nil, canonicalRequest: nil)
      guard let parts = seen.parts, parts[.requestHash] == hash,
        let first = Difference.all(signed, parts, dateHeaders: sent.reader.dateHeaders).first
      else { continue }
      return first.finding(first.cause(in: sent), others: [])
    }
    return nil
  }

  /// Returns whether the service's canonical request in the response has the given hash.
  ///
  /// The hash differs if a log lost or masked a part of the text.
  private func isWhole(_ hash: String) -> Bool {
    answer.canonicalRequest.flatMap(sent.reader.hash) == hash
  }

  /// Returns the finding for the first line that differs although its components do not, such as reordered parameters.
  private func orderDifference(_ signed: SignedParts) -> SignatureFinding? {
    guard let texts = sent.texts else { return nil }
    let hasHash = signed[.requestHash] != nil
    let pairs =
      [(texts.canonicalRequest, answer.canonicalRequest)]
      + (hasHash || texts.canonicalRequest != nil ? [] : [(texts.stringToSign, answer.stringToSign)])
    for case (let sent?, let seen?) in pairs {
      for (first, second) in zip(sent.lines, seen.lines) where !first.isIdentical(to: second) {
        if holdsToken(first) || Difference.isMasked(second) { continue }
        return SignatureFinding(
          .otherDifference, line: "order or spelling", sent: first.onOneLine, seen: second.onOneLine)
      }
    }
    return nil
  }

  /// Returns whether a line contains a session token of the request, as plain text or percent-encoded.
  private func holdsToken(_ line: String) -> Bool {
    sent.tokens.contains { line.contains($0.reveal()) || line.contains($0.reveal().percentEncoded()) }
  }
}
