// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A comparison of a service's rejection with the request that was rejected.
struct SignatureComparison {
  let rejection: RejectedResponse.Reading
  let sent: SentRequest

  /// The finding about the rejection, or `nil` if the rejection does not concern the signature.
  ///
  /// The service's own reader comes first, because a message can say more than the error code.
  var finding: SignatureFinding? {
    if let finding = sent.reader.finding(for: rejection, to: sent.request) { return addingTimes(to: finding) }
    guard let code = rejection.code else {
      if rejection.showsStrings { return mismatchFinding }
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
      var findingWithTimes = clockSkewFinding
      findingWithTimes.cause = .notYetValid
      return findingWithTimes
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

  /// The finding for a request that the service cannot interpret, or `nil` if its signature is not the reason.
  ///
  /// The order is from the most specific message to the word “authorization”, which most of the messages contain.
  private var malformedFinding: SignatureFinding? {
    let message = rejection.message ?? ""
    if sent.isSignedTwice || message.contains(MessageFragment.twoSignatures) {
      return SignatureFinding(.multipleSignatures)
    }
    if message.contains(MessageFragment.listedField) || message.contains(MessageFragment.repeatedField) {
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

  /// The finding for a code that services use both for invalid signatures and for missing permissions.
  ///
  /// The permissions come last, because no message speaks of them if the signature is the reason.
  private var deniedFinding: SignatureFinding {
    let message = rejection.message ?? ""
    if message.hasBytePrefix(MessageFragment.expiredRequest) { return expirationFinding }
    if message.contains(MessageFragment.invalidDate) || sent.parsingError?.code == .missingDate {
      return SignatureFinding(.dateMissing)
    }
    if MessageFragment.isAboutVersion(message) { return SignatureFinding(.wrongVersion, detail: serviceQuotation) }
    if sent.claim == nil, sent.parsingError == nil { return SignatureFinding(.unsigned) }
    let isAboutUnsignedField = message.contains(MessageFragment.unsignedField)
    // A token that is not signed is the reason only if the message says so: the services usually accept it.
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
    guard rejection.showsStrings else {
      return SignatureFinding(.unknown, detail: "The service does not show its string to sign.")
    }
    let receivedParts = sent.parts(
      ofStringToSign: rejection.stringToSign, canonicalRequest: rejection.canonicalRequest)
    guard let receivedParts else {
      return SignatureFinding(
        .hiddenDifference, detail: "The service shows an incomplete string to sign, so no line can be compared.")
    }
    // The lines of two versions have no counterparts, so that the version is the only useful difference.
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
    return findingForEqualParts(sentParts, receivedParts)
  }

  /// Returns the finding for strings whose parts are equal, from the hashes and the strings themselves.
  private func findingForEqualParts(_ sentParts: SignedParts, _ receivedParts: SignedParts) -> SignatureFinding {
    if let finding = findingAboutOrder(in: sentParts) { return finding }
    let receivedHash = receivedParts[.requestHash]
    if let sentHash = sentParts[.requestHash], let receivedHash, sentHash != receivedHash {
      return findingAboutHash(sentHash, receivedHash)
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
  private func findingAboutHash(_ sentHash: String, _ receivedHash: String) -> SignatureFinding {
    var detail = "All lines that the service shows are equal, but the hash of the canonical request differs."
    if rejection.canonicalRequest == nil {
      if let finding = findingAboutLikelyRequest(hashingTo: receivedHash) { return finding }
      detail = "The service shows only the hash of the canonical request, which differs."
    } else if !sent.tokens.isEmpty {
      // The service masks secrets in what it shows, of which the token is the likeliest to differ without being seen.
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
    guard let sentText = sent.signedTexts?.stringToSign, let receivedText = rejection.stringToSign else {
      return false
    }
    // Copying from a log or a document often adds or drops the line feed at the end.
    return (sentText.removingByteSuffix("\n") ?? sentText[...]).utf8.elementsEqual(
      (receivedText.removingByteSuffix("\n") ?? receivedText[...]).utf8)
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
    // A string to sign with the hash of a canonical request has no lines that could be in another order.
    let hasCanonicalRequest = sentParts[.requestHash] != nil || texts.canonicalRequest != nil
    let sentText = hasCanonicalRequest ? texts.canonicalRequest : texts.stringToSign
    let receivedText = hasCanonicalRequest ? rejection.canonicalRequest : rejection.stringToSign
    let differingLines = zip(sentText?.lines ?? [], receivedText?.lines ?? []).first { sentLine, receivedLine in
      !sentLine.isIdentical(to: receivedLine) && !containsToken(sentLine) && !Difference.isMasked(receivedLine)
    }
    return differingLines.map { sentLine, receivedLine in
      // One line of COS contains all headers, with the secret ones.
      let mask = SecretMask.namedValues
      return SignatureFinding(
        .otherDifference, line: "order or spelling", sent: mask.applied(to: sentLine).onOneLine,
        received: mask.applied(to: receivedLine).onOneLine)
    }
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
  static let listedField = "listed"
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
  /// The duration in whole seconds, such as `2 h 5 s`.
  fileprivate var inWords: String {
    let seconds = components.seconds
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
    let words = parts.compactMap { count, unit in count > 0 ? "\(count) \(unit)" : nil }
    return words.isEmpty ? "0 s" : words.joined(separator: " ")
  }
}
