// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A comparison of a service's rejection with the request that was rejected.
struct SignatureComparison {
  let rejection: RejectedResponse.Reading
  let sent: SentRequest

  var finding: SignatureFinding? {
    if let finding = sent.reader.finding(for: rejection, to: sent.request) { return addingTimes(to: finding) }
    guard let code = rejection.code else {
      if rejection.stringToSign != nil || rejection.canonicalRequest != nil { return mismatchFinding }
      return rejection.isRefusal ? findingWithoutCode : nil
    }
    return switch sent.reader.refusalMeanings[code] {
    case .mismatch: mismatchFinding
    case .clockSkew: clockSkewFinding
    case .unknownKey: unknownKeyFinding
    case .wrongToken: SignatureFinding(.tokenOfAnotherKey, detail: keyDetail)
    case .expiredToken: SignatureFinding(.tokenExpired, detail: keyDetail)
    case .malformed: malformedFinding
    case .denied: deniedFinding
    case nil: rejection.isRefusal ? permissionFinding : nil
    }
  }

  /// Adds the signing time and the server's time to a finding about the time.
  private func addingTimes(to finding: SignatureFinding) -> SignatureFinding {
    switch finding.cause {
    case .clockSkew: return clockSkewFinding
    case .expired: return expirationFinding
    case .notYetValid:
      var notYetValidFinding = clockSkewFinding
      notYetValidFinding.cause = .notYetValid
      return notYetValidFinding
    default: return finding
    }
  }

  /// The service's message in the form of a sentence, or an empty string if the response contains no message.
  private var serviceQuotation: String {
    guard let message = rejection.message, !message.isEmpty else { return "" }
    return "The service says: \"\(message.onOneLine)\""
  }

  private var keyDetail: String { sent.claim.map { "The request was signed with the key \($0.accessKeyID)." } ?? "" }

  private var unknownKeyFinding: SignatureFinding {
    guard let id = sent.claim?.accessKeyID else { return SignatureFinding(.unknownKeyID) }
    let isTemporary = sent.reader.isTemporary(id)
    if isTemporary == true, !sent.hasToken { return SignatureFinding(.tokenMissing, detail: keyDetail) }
    if isTemporary == false, sent.hasToken {
      return SignatureFinding(.tokenOfAnotherKey, detail: keyDetail + " It is permanent, but the request has a token.")
    }
    return SignatureFinding(.unknownKeyID, detail: keyDetail)
  }

  private var malformedFinding: SignatureFinding? {
    let message = rejection.message ?? ""
    if sent.isSignedTwice || message.contains(MessageFragment.twoSignatures) {
      return SignatureFinding(.multipleSignatures)
    }
    if message.contains(MessageFragment.listed) || message.contains(MessageFragment.repeatedField) {
      return SignatureFinding(.signedListMismatch, detail: serviceQuotation)
    }
    if MessageFragment.isAboutVersion(message) { return SignatureFinding(.wrongVersion, detail: serviceQuotation) }
    if sent.parsingError != nil || message.contains(MessageFragment.authorization)
      || message.contains(MessageFragment.credential)
    {
      return SignatureFinding(.malformedAuthorization, detail: sent.parsingError?.message ?? serviceQuotation)
    }
    return nil
  }

  private var deniedFinding: SignatureFinding {
    let message = rejection.message ?? ""
    if message.hasBytePrefix(MessageFragment.expiredRequest) { return expirationFinding }
    if message.contains(MessageFragment.invalidDate) || sent.parsingError?.code == .missingDate {
      return SignatureFinding(.dateMissing)
    }
    if MessageFragment.isAboutVersion(message) { return SignatureFinding(.wrongVersion, detail: serviceQuotation) }
    if sent.claim == nil, sent.parsingError == nil { return SignatureFinding(.unsigned) }
    let isAboutUnsignedField = message.contains(MessageFragment.unsignedField)
    // The service usually accepts a session token that is not signed.
    if let part = sent.claim?.unsignedParts.first(where: { isAboutUnsignedField || !$0.isToken }) {
      return SignatureFinding(
        part.isToken ? .tokenUnsigned : .unsignedField, line: part.name, detail: "It is not listed as signed.")
    }
    if isAboutUnsignedField {
      return SignatureFinding(.unsignedField, detail: rejection.details["Reason"].map(\.onOneLine) ?? serviceQuotation)
    }
    return permissionFinding
  }

  /// The finding for a valid signature whose key lacks the permission.
  private var permissionFinding: SignatureFinding {
    let key = sent.claim.map { "The key \($0.accessKeyID)" } ?? "The key"
    let detail =
      sent.hasToken ? "\(key) is a temporary one, with only the permissions that the policy of its session allows." : ""
    return SignatureFinding(
      .accessDenied, detail: [serviceQuotation, detail].filter { !$0.isEmpty }.joined(separator: " "))
  }

  /// The finding for a response without an error code, which the date in its headers may explain.
  private var findingWithoutCode: SignatureFinding {
    if sent.claim == nil, sent.parsingError == nil { return SignatureFinding(.unsigned) }
    if let signingTime = sent.claim?.signedAt, let serverTime = rejection.serverTime, sent.claim?.expiration == nil,
      signingTime.duration(to: serverTime).magnitude > sent.reader.clockTolerance
    {
      return clockSkewFinding
    }
    return SignatureFinding(.unexplained)
  }

  private var clockSkewFinding: SignatureFinding {
    let signingTime = rejection.time(inElement: "RequestTime") ?? sent.claim?.signedAt
    guard let signingTime, let serverTime = rejection.serverTime else { return SignatureFinding(.clockSkew) }
    let difference = signingTime.duration(to: serverTime)
    let direction = difference < .zero ? "ahead of" : "behind"
    // A signed window that starts after the server's time may be meant so; its clock need not be wrong.
    let isEarly = sent.reader.signsWindow && difference < .zero
    return SignatureFinding(
      isEarly ? .notYetValid : .clockSkew, line: isEarly ? SignedPart.window.name : SignedPart.signingTime.name,
      sent: signingTime.iso8601, received: serverTime.iso8601,
      detail: "The request was signed for \(signingTime), \(difference.magnitude.inWords) \(direction) the service.")
  }

  private var expirationFinding: SignatureFinding {
    let expiration = rejection.time(inElement: "Expires") ?? sent.claim?.expiration
    guard let expiration, let serverTime = rejection.serverTime else { return SignatureFinding(.expired) }
    let line = sent.reader.signsWindow ? SignedPart.window.name : "end of the URL"
    let delay = expiration.duration(to: serverTime).magnitude.inWords
    return SignatureFinding(
      .expired, line: line, sent: expiration.iso8601, received: serverTime.iso8601,
      detail: "It expired at \(expiration), \(delay) before the service checked it.")
  }

  /// The finding for a signature that does not match, from a comparison of both sides' strings to sign.
  private var mismatchFinding: SignatureFinding {
    guard let sentParts = sent.signedParts else {
      if let problem = sent.parsingError { return SignatureFinding(.malformedAuthorization, detail: problem.message) }
      return SignatureFinding(
        .unsigned, detail: "The compared request carries no authorization; pass the request that was sent.")
    }
    guard rejection.stringToSign != nil || rejection.canonicalRequest != nil else {
      return SignatureFinding(.unknown, detail: "The service does not show its string to sign.")
    }
    guard
      let receivedParts = sent.parts(
        ofStringToSign: rejection.stringToSign, canonicalRequest: rejection.canonicalRequest)
    else {
      return SignatureFinding(
        .hiddenDifference, detail: "The service shows an incomplete string to sign, so no line can be compared.")
    }
    if let sentVersion = sentParts.version, let receivedVersion = receivedParts.version,
      sentVersion != receivedVersion
    {
      return SignatureFinding(
        .wrongVersion, line: SignedPart.algorithm.name, sent: sentVersion, received: receivedVersion)
    }
    let differences = Difference.find(
      from: sent.parts(showing: rejection) ?? sentParts, to: receivedParts, dateHeaders: sent.reader.dateHeaders)
    if let first = differences.first {
      return first.finding(first.cause(in: sent), others: Array(differences.dropFirst()))
    }
    return findingForEqualParts(sent: sentParts, received: receivedParts)
  }

  /// Returns the finding for strings whose parts are equal, from the hashes and the strings themselves.
  private func findingForEqualParts(
    sent sentParts: SignedParts, received receivedParts: SignedParts
  ) -> SignatureFinding {
    if let finding = findingAboutOrder(in: sentParts) { return finding }
    let receivedHash = receivedParts[.requestHash]
    if let sentHash = sentParts[.requestHash], let receivedHash, sentHash != receivedHash {
      return findingAboutHash(sent: sentHash, received: receivedHash)
    }
    var detail = "All lines are equal."
    // The hash of the shown request differs if a log lost or masked a part of it.
    if let receivedHash, rejection.canonicalRequest.flatMap(sent.reader.hash) == receivedHash {
      detail += " So are the hashes of what the service shows."
    }
    var finding = SignatureFinding(.unknown, detail: detail)
    finding.stringsAreEqual = stringsAreEqual
    return finding
  }

  /// Returns the finding for equal parts and different hashes of the canonical request.
  private func findingAboutHash(sent sentHash: String, received receivedHash: String) -> SignatureFinding {
    var detail = "All lines that the service shows are equal, but the hash of the canonical request differs."
    if rejection.canonicalRequest == nil {
      if let finding = findingAboutLikelyRequest(hashingTo: receivedHash) { return finding }
      detail = "The service shows only the hash of the canonical request, which differs."
    } else if !sent.tokens.isEmpty {
      // The service masks tokens in what it shows, so that only a token can differ without being seen.
      return SignatureFinding(
        .tokenOfAnotherKey, line: "session token", sent: Secret.mask, received: Secret.mask, detail: detail)
    }
    return SignatureFinding(
      .hiddenDifference, line: SignedPart.requestHash.name, sent: sentHash, received: receivedHash.onOneLine,
      detail: detail)
  }

  /// Whether the service signed the string that belongs to the sent request, byte for byte.
  ///
  /// In V4, COS and S3, the string contains the hash of everything that is signed. A masked token makes strings differ.
  private var stringsAreEqual: Bool {
    guard let sentString = sent.signedTexts?.stringToSign, let receivedString = rejection.stringToSign else {
      return false
    }
    // Copying from a log or a document often adds or drops the line feed at the end.
    return (sentString.removingByteSuffix("\n") ?? sentString[...]).utf8.elementsEqual(
      (receivedString.removingByteSuffix("\n") ?? receivedString[...]).utf8)
  }

  /// Returns the finding for a common change of the request that results in the hash that the service shows.
  private func findingAboutLikelyRequest(hashingTo hash: String) -> SignatureFinding? {
    guard let sentParts = sent.signedParts else { return nil }
    for request in LikelyRequests.receivedByService(from: sent.request) {
      let received = SentRequest(request, sent.reader, stringToSign: nil, canonicalRequest: nil)
      guard let receivedParts = received.signedParts, receivedParts[.requestHash] == hash,
        let first = Difference.find(from: sentParts, to: receivedParts, dateHeaders: sent.reader.dateHeaders).first
      else { continue }
      return first.finding(first.cause(in: sent), others: [])
    }
    return nil
  }

  /// Returns the finding for the first line that differs although its parts do not, such as reordered parameters.
  private func findingAboutOrder(in sentParts: SignedParts) -> SignatureFinding? {
    guard let texts = sent.signedTexts else { return nil }
    var pairs = [(texts.canonicalRequest, rejection.canonicalRequest)]
    // A string to sign with the hash of a canonical request has no lines that could be in another order.
    if sentParts[.requestHash] == nil, texts.canonicalRequest == nil {
      pairs.append((texts.stringToSign, rejection.stringToSign))
    }
    for case (let sentText?, let receivedText?) in pairs {
      for (sentLine, receivedLine) in zip(sentText.lines, receivedText.lines)
      where !sentLine.isIdentical(to: receivedLine) {
        if containsToken(sentLine) || Difference.isMasked(receivedLine) { continue }
        return SignatureFinding(
          .otherDifference, line: "order or spelling", sent: sentLine.onOneLine, received: receivedLine.onOneLine)
      }
    }
    return nil
  }

  private func containsToken(_ line: String) -> Bool {
    sent.tokens.contains { line.contains($0.reveal()) || line.contains($0.reveal().percentEncoded()) }
  }
}

/// The words by which the messages of the services tell apart the errors that share a code.
///
/// No vendor documents its messages. The words are those of responses of OSS, COS and S3 and of this package's
/// verifiers; the first letter is missing where some of them write it in upper case.
private enum MessageFragment {
  static let twoSignatures = "not both"
  static let listed = "listed"
  static let repeatedField = "is signed but occurs"
  static let authorization = "uthorization"
  static let credential = "credential"
  static let expiredRequest = "Request has expired"
  static let invalidDate = "valid Date"
  static let unsignedField = "not signed"

  static func isAboutVersion(_ message: String) -> Bool {
    let message = message.lowercased()
    return ["signature version", "v1 signature", "v4 signature", "signature v1", "signature v4"].contains {
      message.contains($0)
    }
  }
}

extension Duration {
  var inWords: String {
    let seconds = components.seconds
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
      .filter { $0.0 > 0 }
    return parts.isEmpty ? "0 s" : parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
