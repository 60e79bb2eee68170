internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension OSSStringSigner {
  /// Reads a V4 string and the canonical request that it holds the hash of.
  func v4Intent(of order: SigningOrder, _ canonicalRequest: String) throws(SigningRefusal) -> SigningIntent {
    var lines = SignedLines(order.stringToSign)
    guard try lines.first() == OSSText.v4Algorithm.description, lines.rest.count == 3 else {
      throw .malformed("The string is not four lines that begin with \(OSSText.v4Algorithm).")
    }
    guard let date = Timestamp(iso8601Basic: try lines.first()) else {
      throw .malformed("The second line is not a date like 20261120T080000Z.")
    }
    let scope = OSSV4Scope(date: date, region: region, product: product)
    guard try lines.first() == String(writing: { scope.append(to: &$0) }) else {
      throw .wrongScope("The string is not for the day of its date, the region \(region) and the product \(product).")
    }
    let hash = SHA256.hash(writing: { $0.append(canonicalRequest) })
    let text = String(writing: { scope.append(stringToSign: hash, date: date, to: &$0) })
    guard text.utf8.elementsEqual(order.stringToSign.utf8) else {
      throw SigningRefusal(
        .hashMismatch, "The string does not hold the hash of the canonical request.",
        remedy: "Send both as the signer prepares them.")
    }
    let request = try v4Request(order, canonicalRequest)
    return try v4Intent(of: request, scope)
  }

  /// The request that has a text as its canonical request.
  private func v4Request(
    _ order: SigningOrder, _ canonicalRequest: String
  ) throws(SigningRefusal) -> HTTPRequest {
    var lines = SignedLines(canonicalRequest)
    let method = try order.checked(HTTPRequest.Method(signed: lines.first()))
    let path = try lines.first()
    let query = try lines.first()
    var headers = HTTPFields()
    var host: String?
    for line in lines.take(while: { !$0.isEmpty }) {
      if line.hasBytePrefix("host:") {
        guard host == nil else { throw .malformed("There are two hosts.") }
        host = String(line.dropFirst("host:".count))
      } else {
        try headers.append(line: line)
      }
    }
    _ = try lines.first()
    let additional = try lines.first()
    let payload = try lines.first()
    guard lines.rest.isEmpty, host.map(isHost) ?? true else { throw .notCanonical }
    guard Self.isPayloadHash(payload), headers[.ossContentSHA256] ?? OSSText.unsignedPayload.description == payload
    else { throw .malformed("The last line is not the hash of a body, and not \(OSSText.unsignedPayload).") }
    let request = HTTPRequest(
      method: method, scheme: nil, authority: host, path: query.isEmpty ? path : "\(path)?\(query)",
      headerFields: headers)
    let names = additional.isEmpty ? [] : additional.parts(between: ";")
    let text: String
    do throws(SigningError) {
      text = try OSSV4Request(resource: .inPath, additional: names.map(String.init)).with(request) {
        String(writing: $0)
      }
    } catch {
      throw .notCanonical
    }
    guard text.utf8.elementsEqual(canonicalRequest.utf8), names.sorted() == names, Set(names).count == names.count,
      names.allSatisfy({ !OSSV4Request.isSignedByRule(String($0)) })
    else { throw .notCanonical }
    return request
  }

  private static func isPayloadHash(_ text: String) -> Bool {
    text == OSSText.unsignedPayload.description
      || text == text.asciiLowercased && [UInt8](hex: text)?.count == SHA256.digestByteCount
  }

  private func v4Intent(of request: HTTPRequest, _ scope: OSSV4Scope) throws(SigningRefusal) -> SigningIntent {
    var readable = request
    readable.authority = "localhost"
    var target = try RequestTarget(signed: readable)
    let fields = request.headerFields
    guard let version = try target.take("x-oss-signature-version") else {
      guard fields[.ossDate] == scope.date.iso8601Basic else {
        throw .malformed("The header x-oss-date is missing, or not the date of the string.")
      }
      return SigningIntent(
        .ossV4, method: request.method, target: target, headers: fields, placement: .header, date: scope.date,
        expiration: nil, accessKeyID: nil, sessionToken: fields[.ossSecurityToken].map { Secret($0) },
        vocabulary: .oss)
    }
    let credential = try target.take("x-oss-credential") ?? ""
    let suffix = "/" + String(writing: { scope.append(to: &$0) })
    guard version == OSSText.v4Algorithm.description, let id = credential.removingByteSuffix(suffix),
      try target.take("x-oss-date") == scope.date.iso8601Basic,
      let expires = try target.take("x-oss-expires"), let seconds = Int64(expires), "\(seconds)" == expires,
      fields[.ossDate] == nil, fields[.ossSecurityToken] == nil,
      fields[.ossContentSHA256] == nil
    else { throw .malformed("The parameters of the signature do not belong to the string.") }
    guard try target.take("x-oss-additional-headers") ?? "" == Self.additionalNames(of: request) else {
      throw .malformed("The additional headers are not those of the URL.")
    }
    let token = try target.take("x-oss-security-token").map { Secret($0) }
    let limits = OSSLimits.urlSeconds(isTemporary: token != nil)
    guard limits.contains(seconds) else {
      throw SigningRefusal(
        .lifetime, "The URL is to work for \(seconds) seconds, and the service accepts 1 to \(limits.upperBound).",
        remedy: "Ask for a shorter lifetime.")
    }
    return SigningIntent(
      .ossV4, method: request.method, target: target, headers: fields, placement: .query, date: scope.date,
      expiration: scope.date.advanced(by: .seconds(seconds)),
      accessKeyID: AccessKeyID(String(id)), sessionToken: token, vocabulary: .oss)
  }

  /// The names of the headers that are signed beyond the rule, the host included.
  private static func additionalNames(of request: HTTPRequest) -> String {
    var names = request.headerFields.map(\.name.canonicalName).filter { !OSSV4Request.isSignedByRule($0) }
    if request.authority != nil { names.append("host") }
    return names.sorted().joined(separator: ";")
  }
}
