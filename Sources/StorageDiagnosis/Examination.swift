internal import OSSAuth
internal import StorageAuth

/// Looks at an answer and the request that it refuses.
struct Examination {
  let answer: RefusedAnswer
  let sent: SentRequest

  /// What is found; nothing if the answer is not about the signature or who signed.
  var diagnosis: SignatureDiagnosis? {
    switch answer.code {
    case "SignatureDoesNotMatch": comparison
    case "RequestTimeTooSkewed": skew
    case "InvalidAccessKeyId": unknownKey
    case "InvalidSecurityToken", "InvalidToken": SignatureDiagnosis(.tokenOfAnotherKey, detail: keyDetail)
    case "SecurityTokenExpired", "ExpiredToken": SignatureDiagnosis(.tokenExpired, detail: keyDetail)
    case "InvalidArgument": invalidArgument
    case "AccessDenied": accessDenied
    case nil where answer.stringToSign != nil || answer.canonicalRequest != nil: comparison
    case nil: isRefusal ? silence : nil
    default: isRefusal ? forbidden : nil
    }
  }

  private var isRefusal: Bool { answer.status == 403 || answer.status == 401 }

  /// What the service said, as part of a sentence of ours.
  var serviceWords: String {
    guard let message = answer.message, !message.isEmpty else { return "" }
    return "The service says: \"\(message.onOneLine)\""
  }

  private var keyDetail: String {
    sent.accessKeyID.map { "The request was signed with the key \($0)." } ?? ""
  }

  private var unknownKey: SignatureDiagnosis {
    guard let id = sent.accessKeyID else { return SignatureDiagnosis(.unknownKeyID) }
    // The ids of temporary keys start with STS. at Alibaba Cloud, and are longer than those of permanent ones at Tencent.
    let isTemporary = sent.service.provider == .oss ? id.utf8.starts(with: "STS.".utf8) : id.utf8.count > 40
    if isTemporary, !sent.hasToken { return SignatureDiagnosis(.tokenMissing, detail: keyDetail) }
    if sent.service.provider == .oss, !isTemporary, sent.hasToken {
      return SignatureDiagnosis(
        .tokenOfAnotherKey, detail: keyDetail + " It is a permanent one, and a token came along.")
    }
    return SignatureDiagnosis(.unknownKeyID, detail: keyDetail)
  }

  private var invalidArgument: SignatureDiagnosis? {
    let message = answer.message ?? ""
    if message.contains("signing region") { return wrongRegion }
    if message.contains("signing product") {
      return SignatureDiagnosis(.wrongProduct, line: LinePart.scopeProduct.name, sent: ossClaim?.product)
    }
    if message.contains("signing date") { return wrongSigningDate }
    if sent.isSignedTwice || message.contains("not both") { return SignatureDiagnosis(.signatureTwice) }
    if message.contains("additional header") {
      return SignatureDiagnosis(.additionalHeaders, line: LinePart.additionalHeaders.name, detail: serviceWords)
    }
    if message.contains("listed") || message.contains("is signed and there") {
      return SignatureDiagnosis(.signedListMismatch, detail: serviceWords)
    }
    if message.contains("UNSIGNED-PAYLOAD") {
      return SignatureDiagnosis(.payloadHash, line: LinePart.payloadHash.name, sent: sent.text?[.payloadHash])
    }
    if message.mentionsVersion { return SignatureDiagnosis(.wrongVersion, detail: serviceWords) }
    if sent.problem != nil || message.contains("uthorization") || message.contains("credential") {
      return SignatureDiagnosis(.malformedAuthorization, detail: sent.problem?.message ?? serviceWords)
    }
    return nil
  }

  private var wrongRegion: SignatureDiagnosis {
    let region = ossClaim?.region
    var detail = ""
    if let region, let known = sent.service.region, known != region {
      detail = "The signature is for \(region) and the bucket is in \(known)."
    } else if let region, region.hasPrefix("oss-") || region.hasSuffix("-internal") {
      detail = "\"\(region.onOneLine)\" is part of an endpoint's name."
    }
    return SignatureDiagnosis(.wrongRegion, line: LinePart.scopeRegion.name, sent: region, detail: detail)
  }

  private var wrongSigningDate: SignatureDiagnosis {
    if let claim = ossClaim, let day = claim.day, let date = claim.signedAt, !date.iso8601Basic.hasPrefix(day) {
      return SignatureDiagnosis(
        .wrongDay, line: LinePart.scopeDay.name, sent: day,
        detail: "The scope names the day \(day.onOneLine), and the request was signed at \(date).")
    }
    return skew
  }

  private var ossClaim: OSSClaim? {
    if case .oss(let claim) = sent.claim { claim } else { nil }
  }

  private var accessDenied: SignatureDiagnosis {
    let message = answer.message ?? ""
    if message.hasPrefix("Request has expired") { return expiry }
    if message.contains("valid Date") || sent.problem?.code == .missingDate { return SignatureDiagnosis(.dateMissing) }
    if message.mentionsVersion { return SignatureDiagnosis(.wrongVersion, detail: serviceWords) }
    if sent.claim == nil, sent.problem == nil { return SignatureDiagnosis(.unsigned) }
    if let field = sent.unsignedField(countsToken: message.contains("not signed")) {
      return SignatureDiagnosis(
        field.isToken ? .tokenUnsigned : .unsignedField, line: field.name, detail: "It is not on the list.")
    }
    if message.contains("not signed") {
      return SignatureDiagnosis(.unsignedField, detail: answer.details["Reason"].map(\.onOneLine) ?? serviceWords)
    }
    return forbidden
  }

  /// The signature was taken: what the key may do decided.
  private var forbidden: SignatureDiagnosis {
    let key = sent.accessKeyID.map { "The key \($0)" } ?? "The key"
    let detail =
      sent.hasToken ? "\(key) is a temporary one, and may do no more than the policy of its session allows." : ""
    return SignatureDiagnosis(
      .accessDenied, detail: [serviceWords, detail].filter { !$0.isEmpty }.joined(separator: " "))
  }

  /// A refusal without a word; the date of its head may tell.
  private var silence: SignatureDiagnosis {
    if sent.claim == nil, sent.problem == nil { return SignatureDiagnosis(.unsigned) }
    if let signed = sent.signedAt, let server = answer.serverTime, sent.end == nil,
      signed.duration(to: server).magnitude > OSSLimits.clockTolerance
    {
      return skew
    }
    return SignatureDiagnosis(.unexplained)
  }
}

extension String {
  /// Whether a message is about the version of a signature.
  fileprivate var mentionsVersion: Bool {
    let text = lowercased()
    return ["signature version", "v1 signature", "v4 signature", "signature v1", "signature v4"].contains {
      text.contains($0)
    }
  }
}

extension Duration {
  /// The duration without its sign.
  var magnitude: Duration { self < .zero ? .zero - self : self }
}
