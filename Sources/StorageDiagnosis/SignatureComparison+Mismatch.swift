internal import StorageAuth
internal import StorageCrypto

extension SignatureComparison {
  /// A signature that does not match: what was signed against what the service signed.
  var comparison: SignatureFinding {
    guard let signed = sent.parts else {
      guard let problem = sent.problem else {
        return SignatureFinding(
          .unsigned,
          detail: "The request that is compared carries no authorization; it has to be the one that was sent.")
      }
      return SignatureFinding(.malformedAuthorization, detail: problem.message)
    }
    guard answer.stringToSign != nil || answer.canonicalRequest != nil else {
      return SignatureFinding(.wrongSecret, detail: "The service does not show what it signed.")
    }
    guard let seen = sent.signedParts(answer.stringToSign, answer.canonicalRequest) else {
      return SignatureFinding(
        .hiddenDifference, detail: "What the service shows is not a string to sign in full, so no line can be compared."
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

  /// All parts are the same: the hashes and the texts themselves decide.
  private func withoutDifference(_ signed: SignedParts, _ seen: SignedParts) -> SignatureFinding {
    if let difference = orderDifference(signed) { return difference }
    if let first = signed[.requestHash], let second = seen[.requestHash], first != second {
      var detail = "All lines that the service shows are the same, and the hash of the canonical request is another."
      if answer.canonicalRequest == nil, let found = likelyRewriting(hashingTo: second) { return found }
      if answer.canonicalRequest == nil {
        detail = "The service shows only the hash of the canonical request, which is another."
      } else if !sent.tokens.isEmpty {
        return SignatureFinding(
          .tokenOfAnotherKey, line: "session token", sent: Secret.mask, seen: Secret.mask, detail: detail)
      }
      return SignatureFinding(
        .hiddenDifference, line: SignedPart.requestHash.name, sent: first, seen: second.onOneLine, detail: detail)
    }
    var detail = "All lines are the same."
    if let hash = seen[.requestHash], isWhole(hash) { detail += " So are the hashes of what the service shows." }
    return SignatureFinding(.wrongSecret, detail: detail)
  }

  /// What the usual suspects do to a request, if that gives the hash that the service shows.
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

  /// Whether the service's text hashes to what its string to sign says; what a log lost or masked shows here.
  private func isWhole(_ hash: String) -> Bool {
    answer.canonicalRequest.flatMap(sent.reader.hash) == hash
  }

  /// The first line that differs although no part of it does, such as parameters in another order.
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

  /// Whether a line holds a session token, as it is or percent-encoded.
  private func holdsToken(_ line: String) -> Bool {
    sent.tokens.contains { line.contains($0.reveal()) || line.contains($0.reveal().percentEncoded()) }
  }
}
