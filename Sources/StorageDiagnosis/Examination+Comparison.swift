internal import StorageAuth
internal import StorageCrypto

extension Examination {
  /// A signature that does not match: what was signed against what the service signed.
  var comparison: SignatureDiagnosis {
    guard let signed = sent.text else {
      guard let problem = sent.problem else {
        return SignatureDiagnosis(
          .unsigned,
          detail: "The request that is compared carries no authorization; it has to be the one that was sent.")
      }
      return SignatureDiagnosis(.malformedAuthorization, detail: problem.message)
    }
    guard answer.stringToSign != nil || answer.canonicalRequest != nil else {
      return SignatureDiagnosis(.wrongSecret, detail: "The service does not show what it signed.")
    }
    guard let seen = sent.signedText(answer.stringToSign, answer.canonicalRequest) else {
      return SignatureDiagnosis(
        .hiddenDifference, detail: "What the service shows is not a string to sign in full, so no line can be compared."
      )
    }
    if signed.isV4 != seen.isV4 {
      return SignatureDiagnosis(
        .wrongVersion, line: LinePart.algorithm.name, sent: signed.isV4 ? "V4" : "V1", seen: seen.isV4 ? "V4" : "V1")
    }
    let differences = Difference.all(sent.text(showing: answer) ?? signed, seen)
    if let first = differences.first {
      return first.diagnosis(first.cause(in: sent), others: Array(differences.dropFirst()))
    }
    return withoutDifference(signed, seen)
  }

  /// All parts are the same: the hashes and the texts themselves decide.
  private func withoutDifference(_ signed: SignedText, _ seen: SignedText) -> SignatureDiagnosis {
    if let difference = orderDifference(signed) { return difference }
    if let first = signed[.requestHash], let second = seen[.requestHash], first != second {
      var detail = "All lines that the service shows are the same, and the hash of the canonical request is another."
      if answer.canonicalRequest == nil, let found = likelyRewriting(hashingTo: second) { return found }
      if answer.canonicalRequest == nil {
        detail = "The service shows only the hash of the canonical request, which is another."
      } else if !sent.tokens.isEmpty {
        return SignatureDiagnosis(
          .tokenOfAnotherKey, line: "session token", sent: Secret.mask, seen: Secret.mask, detail: detail)
      }
      return SignatureDiagnosis(
        .hiddenDifference, line: LinePart.requestHash.name, sent: first, seen: second.onOneLine, detail: detail)
    }
    var detail = "All lines are the same."
    if let hash = seen[.requestHash], isWhole(hash) { detail += " So are the hashes of what the service shows." }
    return SignatureDiagnosis(.wrongSecret, detail: detail)
  }

  /// What the usual suspects do to a request, if that gives the hash that the service shows.
  private func likelyRewriting(hashingTo hash: String) -> SignatureDiagnosis? {
    guard let signed = sent.text else { return nil }
    for request in LikelyRewriting.all(of: sent.request) {
      let seen = SentRequest(request, sent.service, stringToSign: nil, canonicalRequest: nil)
      guard let text = seen.text, text[.requestHash] == hash, let first = Difference.all(signed, text).first else {
        continue
      }
      return first.diagnosis(first.cause(in: sent), others: [])
    }
    return nil
  }

  /// Whether the service's text hashes to what its string to sign says; what a log lost or masked shows here.
  private func isWhole(_ hash: String) -> Bool {
    guard let text = answer.canonicalRequest else { return false }
    let bytes = Array(text.utf8)
    return hash == (sent.service.provider == .cos ? SHA1.hash(bytes).hex : SHA256.hash(bytes).hex)
  }

  /// The first line that differs although no part of it does, such as parameters in another order.
  private func orderDifference(_ signed: SignedText) -> SignatureDiagnosis? {
    guard let texts = sent.texts else { return nil }
    let pairs =
      [(texts.canonicalRequest, answer.canonicalRequest)]
      + (signed.isV4 || sent.service.provider == .cos ? [] : [(texts.stringToSign, answer.stringToSign)])
    for case (let sent?, let seen?) in pairs {
      for (first, second) in zip(sent.lines, seen.lines) where !first.isIdentical(to: second) {
        if holdsToken(first) || Difference.isMasked(second) { continue }
        return SignatureDiagnosis(
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

extension SignedText {
  /// Whether it is of V4.
  var isV4: Bool { values[.scopeDay] != nil || values[.payloadHash] != nil }
}
