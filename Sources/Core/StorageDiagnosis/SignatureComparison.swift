// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageCrypto

/// A comparison of a response with the request that the service rejected.
struct SignatureComparison {
  let response: RejectedResponse.Reading
  let sent: SentRequest

  var finding: SignatureFinding? {
    if let finding = sent.reader.finding(for: response, to: sent.request) { return addingTimes(to: finding) }
    guard let code = response.code else {
      if response.stringToSign != nil || response.canonicalRequest != nil { return mismatch }
      return response.isRefusal ? withoutReason : nil
    }
    return switch sent.reader.refusalMeanings[code] {
    case .mismatch: mismatch
    case .clockSkew: clockSkew
    case .unknownKey: unknownKey
    case .wrongToken: SignatureFinding(.tokenOfAnotherKey, detail: keyDetail)
    case .expiredToken: SignatureFinding(.tokenExpired, detail: keyDetail)
    case .malformed: malformed
    case .denied: denied
    case nil: response.isRefusal ? forbidden : nil
    }
  }

  /// Adds the signing time and the server's time to a finding about the time.
  private func addingTimes(to finding: SignatureFinding) -> SignatureFinding {
    switch finding.cause {
    case .clockSkew: return clockSkew
    case .expired: return expiration
    case .notYetValid:
      var finding = clockSkew
      finding.cause = .notYetValid
      return finding
    default: return finding
    }
  }

  /// The service's message in the form of a sentence, or an empty string if the response contains no message.
  var serviceQuotation: String {
    guard let message = response.message, !message.isEmpty else { return "" }
    return "The service says: \"\(message.onOneLine)\""
  }

  private var keyDetail: String {
    sent.reading.map { "The request was signed with the key \($0.accessKeyID)." } ?? ""
  }

  private var unknownKey: SignatureFinding {
    guard let id = sent.reading?.accessKeyID else { return SignatureFinding(.unknownKeyID) }
    let isTemporary = sent.reader.isTemporary(id)
    if isTemporary == true, !sent.hasToken { return SignatureFinding(.tokenMissing, detail: keyDetail) }
    if isTemporary == false, sent.hasToken {
      return SignatureFinding(.tokenOfAnotherKey, detail: keyDetail + " It is permanent, but the request has a token.")
    }
    return SignatureFinding(.unknownKeyID, detail: keyDetail)
  }

  private var malformed: SignatureFinding? {
    let message = response.message ?? ""
    if sent.isSignedTwice || message.contains("not both") { return SignatureFinding(.multipleSignatures) }
    if message.contains("listed") || message.contains("is signed but occurs") {
      return SignatureFinding(.signedListMismatch, detail: serviceQuotation)
    }
    if message.mentionsVersion { return SignatureFinding(.wrongVersion, detail: serviceQuotation) }
    if sent.problem != nil || message.contains("uthorization") || message.contains("credential") {
      return SignatureFinding(.malformedAuthorization, detail: sent.problem?.message ?? serviceQuotation)
    }
    return nil
  }

  private var denied: SignatureFinding {
    let message = response.message ?? ""
    if message.hasBytePrefix("Request has expired") { return expiration }
    if message.contains("valid Date") || sent.problem?.code == .missingDate { return SignatureFinding(.dateMissing) }
    if message.mentionsVersion { return SignatureFinding(.wrongVersion, detail: serviceQuotation) }
    if sent.reading == nil, sent.problem == nil { return SignatureFinding(.unsigned) }
    // The service usually accepts a session token that is not signed.
    let includesTokens = message.contains("not signed")
    if let part = sent.reading?.unsignedParts.first(where: { includesTokens || !$0.isToken }) {
      return SignatureFinding(
        part.isToken ? .tokenUnsigned : .unsignedField, line: part.name, detail: "It is not listed as signed.")
    }
    if message.contains("not signed") {
      return SignatureFinding(.unsignedField, detail: response.details["Reason"].map(\.onOneLine) ?? serviceQuotation)
    }
    return forbidden
  }

  /// The finding for a valid signature whose key lacks the permission.
  private var forbidden: SignatureFinding {
    let key = sent.reading.map { "The key \($0.accessKeyID)" } ?? "The key"
    let detail =
      sent.hasToken ? "\(key) is a temporary one, with only the permissions that the policy of its session allows." : ""
    return SignatureFinding(
      .accessDenied, detail: [serviceQuotation, detail].filter { !$0.isEmpty }.joined(separator: " "))
  }

  /// The finding for a response without an error code, which the date in its headers may explain.
  private var withoutReason: SignatureFinding {
    if sent.reading == nil, sent.problem == nil { return SignatureFinding(.unsigned) }
    if let signed = sent.reading?.signedAt, let server = response.serverTime, sent.reading?.expiration == nil,
      signed.duration(to: server).magnitude > sent.reader.clockTolerance
    {
      return clockSkew
    }
    return SignatureFinding(.unexplained)
  }

  var clockSkew: SignatureFinding {
    let signed = response.time(inElement: "RequestTime") ?? sent.reading?.signedAt
    guard let signed, let server = response.serverTime else { return SignatureFinding(.clockSkew) }
    let difference = signed.duration(to: server)
    let direction = difference < .zero ? "ahead of" : "behind"
    let isWindow = sent.reader.signsWindow && difference < .zero
    return SignatureFinding(
      isWindow ? .notYetValid : .clockSkew, line: isWindow ? SignedPart.window.name : SignedPart.signingTime.name,
      sent: signed.iso8601, received: server.iso8601,
      detail: "The request was signed for \(signed), \(difference.magnitude.inWords) \(direction) the service.")
  }

  var expiration: SignatureFinding {
    let end = response.time(inElement: "Expires") ?? sent.reading?.expiration
    guard let end, let server = response.serverTime else { return SignatureFinding(.expired) }
    let line = sent.reader.signsWindow ? SignedPart.window.name : "end of the URL"
    return SignatureFinding(
      .expired, line: line, sent: end.iso8601, received: server.iso8601,
      detail: "It expired at \(end), \(end.duration(to: server).magnitude.inWords) before the service checked it.")
  }

  /// The finding for a signature that does not match, from a comparison of both sides' strings to sign.
  var mismatch: SignatureFinding {
    guard let signed = sent.parts else {
      guard let problem = sent.problem else {
        return SignatureFinding(
          .unsigned, detail: "The compared request carries no authorization; pass the request that was sent.")
      }
      return SignatureFinding(.malformedAuthorization, detail: problem.message)
    }
    guard response.stringToSign != nil || response.canonicalRequest != nil else {
      return SignatureFinding(.unknown, detail: "The service does not show its string to sign.")
    }
    guard let received = sent.signedParts(response.stringToSign, response.canonicalRequest) else {
      return SignatureFinding(
        .hiddenDifference, detail: "The service shows an incomplete string to sign, so no line can be compared.")
    }
    if let version = signed.version, let other = received.version, version != other {
      return SignatureFinding(.wrongVersion, line: SignedPart.algorithm.name, sent: version, received: other)
    }
    let differences = Difference.find(
      from: sent.parts(showing: response) ?? signed, to: received, dateHeaders: sent.reader.dateHeaders)
    if let first = differences.first {
      return first.finding(first.cause(in: sent), others: Array(differences.dropFirst()))
    }
    return findingForEqualParts(signed, received)
  }

  /// Returns the finding for strings whose components are equal, from the hashes and the strings themselves.
  private func findingForEqualParts(_ signed: SignedParts, _ received: SignedParts) -> SignatureFinding {
    if let difference = orderDifference(signed) { return difference }
    if let first = signed[.requestHash], let second = received[.requestHash], first != second {
      var detail = "All lines that the service shows are equal, but the hash of the canonical request differs."
      if response.canonicalRequest == nil, let found = likelyRewriting(hashingTo: second) { return found }
      if response.canonicalRequest == nil {
        detail = "The service shows only the hash of the canonical request, which differs."
      } else if !sent.tokens.isEmpty {
        return SignatureFinding(
          .tokenOfAnotherKey, line: "session token", sent: Secret.mask, received: Secret.mask, detail: detail)
      }
      return SignatureFinding(
        .hiddenDifference, line: SignedPart.requestHash.name, sent: first, received: second.onOneLine, detail: detail)
    }
    var detail = "All lines are equal."
    if let hash = received[.requestHash], isShown(hash) { detail += " So are the hashes of what the service shows." }
    var finding = SignatureFinding(.unknown, detail: detail)
    finding.stringsAreEqual = stringsAreEqual
    return finding
  }

  /// Whether the service signed the string that belongs to the sent request, byte for byte.
  ///
  /// A masked token makes a string no proof. In V4, COS and S3 the string has the hash of all that is signed.
  private var stringsAreEqual: Bool {
    guard let first = sent.texts?.stringToSign, let second = response.stringToSign else { return false }
    return (first.removingByteSuffix("\n") ?? first[...]).utf8.elementsEqual(
      (second.removingByteSuffix("\n") ?? second[...]).utf8)
  }

  /// Returns the finding for a common change of the request that results in the hash that the service shows.
  private func likelyRewriting(hashingTo hash: String) -> SignatureFinding? {
    guard let signed = sent.parts else { return nil }
    for request in LikelyRewriting.requests(for: sent.request) {
      let received = SentRequest(request, sent.reader, stringToSign: nil, canonicalRequest: nil)
      guard let parts = received.parts, parts[.requestHash] == hash,
        let first = Difference.find(from: signed, to: parts, dateHeaders: sent.reader.dateHeaders).first
      else { continue }
      return first.finding(first.cause(in: sent), others: [])
    }
    return nil
  }

  /// Returns whether the canonical request in the response has a hash, which differs if a log lost or masked a part.
  private func isShown(_ hash: String) -> Bool { response.canonicalRequest.flatMap(sent.reader.hash) == hash }

  /// Returns the finding for the first line that differs although its components do not, such as reordered parameters.
  private func orderDifference(_ signed: SignedParts) -> SignatureFinding? {
    guard let texts = sent.texts else { return nil }
    let hasHash = signed[.requestHash] != nil
    let pairs =
      [(texts.canonicalRequest, response.canonicalRequest)]
      + (hasHash || texts.canonicalRequest != nil ? [] : [(texts.stringToSign, response.stringToSign)])
    for case (let sent?, let received?) in pairs {
      for (first, second) in zip(sent.lines, received.lines) where !first.isIdentical(to: second) {
        if holdsToken(first) || Difference.isMasked(second) { continue }
        return SignatureFinding(
          .otherDifference, line: "order or spelling", sent: first.onOneLine, received: second.onOneLine)
      }
    }
    return nil
  }

  private func holdsToken(_ line: String) -> Bool {
    sent.tokens.contains { line.contains($0.reveal()) || line.contains($0.reveal().percentEncoded()) }
  }
}

extension String {
  fileprivate var mentionsVersion: Bool {
    let text = lowercased()
    return ["signature version", "v1 signature", "v4 signature", "signature v1", "signature v4"].contains {
      text.contains($0)
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
