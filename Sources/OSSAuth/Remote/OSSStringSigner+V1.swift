internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension OSSStringSigner {
  /// Reads a V1 string: four lines, a line for each `x-oss-` header, and the resource, which may hold line feeds.
  ///
  /// The plain reading of the resource has to be canonical; every other request that the string fits goes along with it.
  func v1Intent(of order: SigningOrder) throws(SigningRefusal) -> SigningIntent {
    var lines = SignedLines(order.stringToSign)
    let method = try order.checked(HTTPRequest.Method(signed: lines.first()))
    var headers = HTTPFields()
    let md5 = try lines.first()
    if !md5.isEmpty { try headers.append(signed: "Content-MD5", md5) }
    let type = try lines.first()
    if !type.isEmpty { try headers.append(signed: "Content-Type", type) }
    let dateLine = try lines.first()
    for line in lines.take(while: { $0.hasBytePrefix("x-oss-") }) { try headers.append(line: line) }
    let resource = lines.remainder
    guard resource.utf8.count(where: { $0 == UInt8(ascii: "?") }) < 2 else {
      throw SigningRefusal(
        .malformed, "The resource holds more than one question mark (?): the string is that of several requests.",
        remedy: "Sign with V4, which signs the key and the parameters apart.")
    }
    let path = try Self.wirePath(ofResource: resource)
    let request = HTTPRequest(method: method, scheme: nil, authority: "localhost", path: path, headerFields: headers)
    let text: String
    do throws(SigningError) {
      text = try OSSV1String(resource: .inPath, subresources: OSSSubresources())
        .with(request, date: dateLine) { String(writing: $0) }
    } catch {
      throw .notCanonical
    }
    guard text.utf8.elementsEqual(order.stringToSign.utf8) else { throw .notCanonical }
    return try v1Intent(of: request, dateLine, others: Self.otherTargets(ofResource: resource, of: request))
  }

  /// The targets besides the plain one that a resource stands for.
  private static func otherTargets(
    ofResource resource: String, of request: HTTPRequest
  ) throws(SigningRefusal) -> [RequestTarget] {
    let plain = try RequestTarget(signed: request)
    guard let targets = OSSV1Readings.targets(ofResource: resource) else {
      throw .malformed("The resource can be read in too many ways.")
    }
    let others = targets.filter { !$0.isSame(as: plain) }
    guard others.count == targets.count - 1 else { throw .notCanonical }
    return others
  }

  private func v1Intent(
    of request: HTTPRequest, _ dateLine: String, others: [RequestTarget]
  ) throws(SigningRefusal) -> SigningIntent {
    var target = try RequestTarget(signed: request)
    let fields = request.headerFields
    let urlToken = try target.take("security-token").map { Secret($0) }
    if let seconds = Int64(dateLine), "\(seconds)" == dateLine, (0..<1_000_000_000_000).contains(seconds) {
      guard fields[.ossDate] == nil, fields[.ossSecurityToken] == nil else {
        throw .malformed("The string is for a URL and has headers that only a header signature has.")
      }
      return SigningIntent(
        .ossV1, method: request.method, target: target, headers: fields, placement: .query, date: nil,
        expiration: Timestamp(unixSeconds: seconds), accessKeyID: nil, sessionToken: urlToken, vocabulary: .oss,
        otherTargets: others.compactMap { $0.usable(by: request.method, with: urlToken) })
    }
    guard let date = Timestamp(httpDate: dateLine), date.httpDate == dateLine else {
      throw .malformed("The fourth line is neither a date as HTTP writes it nor the end of a URL.")
    }
    guard urlToken == nil, fields[.ossDate].map({ $0 == dateLine }) ?? true else {
      throw .malformed("There are two dates, or the session token is in the URL.")
    }
    return SigningIntent(
      .ossV1, method: request.method, target: target, headers: fields, placement: .header, date: date, expiration: nil,
      accessKeyID: nil, sessionToken: fields[.ossSecurityToken].map { Secret($0) }, vocabulary: .oss,
      otherTargets: others.compactMap { $0.usable(by: request.method, with: nil) })
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
  /// Whether two targets are the same; a parameter without a value is one with an empty value, as it is signed.
  fileprivate func isSame(as other: RequestTarget) -> Bool {
    bucket == other.bucket && key == other.key
      && parameters.elementsEqual(other.parameters) { $0.name == $1.name && ($0.value ?? "") == ($1.value ?? "") }
  }

  /// The target as a service would act on it, or `nil` if it would not.
  ///
  /// It refuses a request whose session token is not that of the key, and a POST to an object without parameters is no
  /// operation. A number of a part that is none counts as absent, for a service that does not refuse it.
  fileprivate func usable(by method: HTTPRequest.Method, with token: Secret?) -> RequestTarget? {
    let own = parameters.first { $0.name == "security-token" }.map { Secret($0.value?.string ?? "") }
    guard own == token else { return nil }
    let rest = parameters.filter { parameter in
      parameter.name != "security-token"
        && (parameter.name != "partNumber" || SignedQuery.isPartNumber(parameter.value?.string ?? ""))
    }
    if method == .post, key != nil, rest.isEmpty { return nil }
    return RequestTarget(bucket: bucket?.string, key: key?.string, parameters: rest)
  }

  /// Reads the target of a request that was put together from a signed text, with the bucket in its path.
  init(signed request: HTTPRequest) throws(SigningRefusal) {
    do throws(VerificationError) {
      try self.init(of: request, style: .path)
    } catch {
      throw .malformed("The path or the query is not UTF-8.")
    }
  }
}
