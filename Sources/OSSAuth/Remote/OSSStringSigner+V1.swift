internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension OSSStringSigner {
  /// Reads a V1 string: four lines, a line for each `x-oss-` header, and the resource, which may hold line feeds.
  func v1Intent(of order: SigningOrder) throws(SigningRefusal) -> SigningIntent {
    var lines = SignedLines(order.stringToSign)
    let method = try order.checked(HTTPRequest.Method(signed: lines.first()))
    var headers = HTTPFields()
    let md5 = try lines.first()
    if !md5.isEmpty { try headers.append(signed: "Content-MD5", md5) }
    let type = try lines.first()
    if !type.isEmpty { try headers.append(signed: "Content-Type", type) }
    let dateLine = try lines.first()
    for line in lines.take(while: { $0.hasPrefix("x-oss-") }) { try headers.append(line: line) }
    let path = try Self.wirePath(ofResource: lines.remainder)
    let request = HTTPRequest(method: method, scheme: nil, authority: "localhost", path: path, headerFields: headers)
    let text: String
    do throws(SigningError) {
      text = try OSSV1String(resource: .inPath, subresources: OSSSubresources())
        .with(request, date: dateLine) { String(writing: $0) }
    } catch {
      throw .notCanonical
    }
    guard text.utf8.elementsEqual(order.stringToSign.utf8) else { throw .notCanonical }
    return try v1Intent(of: request, dateLine)
  }

  private func v1Intent(of request: HTTPRequest, _ dateLine: String) throws(SigningRefusal) -> SigningIntent {
    var target = try RequestTarget(signed: request)
    let fields = request.headerFields
    let urlToken = try target.take("security-token").map { Secret($0) }
    if let seconds = Int64(dateLine), "\(seconds)" == dateLine, (0..<1_000_000_000_000).contains(seconds) {
      guard fields[.ossDate] == nil, fields[.ossSecurityToken] == nil else {
        throw .malformed("The string is for a URL and has headers that only a header signature has.")
      }
      return SigningIntent(
        .ossV1, method: request.method, target: target, headers: fields, placement: .query, date: nil,
        expiration: Timestamp(unixSeconds: seconds), accessKeyID: nil, sessionToken: urlToken)
    }
    guard let date = Timestamp(httpDate: dateLine), date.httpDate == dateLine else {
      throw .malformed("The fourth line is neither a date as HTTP writes it nor the end of a URL.")
    }
    guard urlToken == nil, fields[.ossDate].map({ $0 == dateLine }) ?? true else {
      throw .malformed("There are two dates, or the session token is in the URL.")
    }
    return SigningIntent(
      .ossV1, method: request.method, target: target, headers: fields, placement: .header, date: date, expiration: nil,
      accessKeyID: nil, sessionToken: fields[.ossSecurityToken].map { Secret($0) })
  }

  /// The path that has a text as its canonical resource; behind the first question mark are the parameters.
  private static func wirePath(ofResource resource: String) throws(SigningRefusal) -> String {
    let parts = resource.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard let path = parts.first, path.utf8.first == UInt8(ascii: "/") else {
      throw .malformed("The resource is not a path.")
    }
    guard parts.count > 1 else { return path.percentEncoded(.path) }
    let query = parts[1].utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
      let pair = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return pair.map { String(Substring($0)).percentEncoded() }.joined(separator: "=")
    }
    return "\(path.percentEncoded(.path))?\(query.joined(separator: "&"))"
  }
}

extension HTTPFields {
  /// Adds the header of a line `name:value`.
  mutating func append(line: String) throws(SigningRefusal) {
    let pair = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard pair.count == 2 else { throw .malformed("A line that should be a header has no colon.") }
    try append(signed: String(Substring(pair[0])), String(Substring(pair[1])))
  }
}

extension RequestTarget {
  /// Reads the target of a request that was put together from a signed text, with the bucket in its path.
  init(signed request: HTTPRequest) throws(SigningRefusal) {
    do throws(VerificationError) {
      try self.init(of: request, style: .path)
    } catch {
      throw .malformed("The path or the query is not UTF-8.")
    }
  }
}
