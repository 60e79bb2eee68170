// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// A comparison of a response with the request that the service rejected.
struct SignatureComparison {
  let answer: RefusedAnswer.Reading
  let sent: SentRequest

  /// The finding, or `nil` if the response concerns neither the signature nor its key.
  var finding: SignatureFinding? {
    if let finding = sent.reader.finding(for: answer, to: sent.request) { return completed(finding) }
    guard let code = answer.code else {
      if answer.stringToSign != nil || answer.canonicalRequest != nil { return comparison }
      return answer.isRefusal ? silence : nil
    }
    return switch sent.reader.meanings[code] {
    case .mismatch: comparison
    case .clockSkew: skew
    case .unknownKey: unknownKey
    case .wrongToken: SignatureFinding(.tokenOfAnotherKey, detail: keyDetail)
    case .endedToken: SignatureFinding(.tokenExpired, detail: keyDetail)
    case .malformed: malformed
    case .denied: denied
    case nil: answer.isRefusal ? forbidden : nil
    }
  }

  /// Adds the signing time and the server's time to a finding about the time.
  private func completed(_ finding: SignatureFinding) -> SignatureFinding {
    switch finding.cause {
    case .clockSkew: skew
    case .expired: expiry
    case .notYetValid: prematurity
    default: finding
    }
  }

  /// The service's message in the form of a sentence, or an empty string if the response contains no message.
  var serviceWords: String {
    guard let message = answer.message, !message.isEmpty else { return "" }
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
    let message = answer.message ?? ""
    if sent.isSignedTwice || message.contains("not both") { return SignatureFinding(.signatureTwice) }
    if message.contains("listed") || message.contains("is signed and there") {
      return SignatureFinding(.signedListMismatch, detail: serviceWords)
    }
    if message.mentionsVersion { return SignatureFinding(.wrongVersion, detail: serviceWords) }
    if sent.problem != nil || message.contains("uthorization") || message.contains("credential") {
      return SignatureFinding(.malformedAuthorization, detail: sent.problem?.message ?? serviceWords)
    }
    return nil
  }

  private var denied: SignatureFinding {
    let message = answer.message ?? ""
    if message.hasBytePrefix("Request has expired") { return expiry }
    if message.contains("valid Date") || sent.problem?.code == .missingDate { return SignatureFinding(.dateMissing) }
    if message.mentionsVersion { return SignatureFinding(.wrongVersion, detail: serviceWords) }
    if sent.reading == nil, sent.problem == nil { return SignatureFinding(.unsigned) }
    // The service usually accepts a session token that is not signed.
    let countsToken = message.contains("not signed")
    if let part = sent.reading?.unsignedParts.first(where: { countsToken || !$0.isToken }) {
      return SignatureFinding(
        part.isToken ? .tokenUnsigned : .unsignedField, line: part.name, detail: "It is not listed as signed.")
    }
    if message.contains("not signed") {
      return SignatureFinding(.unsignedField, detail: answer.details["Reason"].map(\.onOneLine) ?? serviceWords)
    }
    return forbidden
  }

  /// The finding for a valid signature whose key lacks the permission.
  private var forbidden: SignatureFinding {
    let key = sent.reading.map { "The key \($0.accessKeyID)" } ?? "The key"
    let detail =
      sent.hasToken ? "\(key) is a temporary one, with only the permissions that the policy of its session allows." : ""
    return SignatureFinding(
      .accessDenied, detail: [serviceWords, detail].filter { !$0.isEmpty }.joined(separator: " "))
  }

  /// The finding for a response without an error code, which the date in its headers may explain.
  private var silence: SignatureFinding {
    if sent.reading == nil, sent.problem == nil { return SignatureFinding(.unsigned) }
    if let signed = sent.reading?.signedAt, let server = answer.serverTime, sent.reading?.end == nil,
      signed.duration(to: server).magnitude > sent.reader.clockTolerance
    {
      return skew
    }
    return SignatureFinding(.unexplained)
  }
}

extension String {
  /// Whether the message mentions the signature version.
  fileprivate var mentionsVersion: Bool {
    let text = lowercased()
    return ["signature version", "v1 signature", "v4 signature", "signature v1", "signature v4"].contains {
      text.contains($0)
    }
  }
}

extension Duration {
  /// The absolute value of the duration.
  var magnitude: Duration { self < .zero ? .zero - self : self }
}
