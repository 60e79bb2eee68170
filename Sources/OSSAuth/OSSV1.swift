internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The string to sign of OSS V1: verb, Content-MD5, Content-Type, date, `x-oss-` headers, resource.
struct OSSV1String {
  let resource: OSSResource
  let subresources: OSSSubresources

  /// What the fourth line says.
  enum Date {
    /// The date of a request, as it is sent.
    case line(String)
    /// The end of a URL, in Unix time.
    case end(Timestamp)
  }

  /// Hands a function that writes the string to sign of a request to `body`.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - fields: Every header that is signed.
  ///   - path: The path that is signed.
  ///   - date: The fourth line.
  ///   - refused: The parameters that a request must not have.
  ///   - allowsAmbiguity: Whether the string may be that of another request, too.
  ///   - body: Uses the function.
  /// - Throws: A ``SigningError`` if the path cannot be read, or something signed is there twice.
  func withStringToSign<Result>(
    _ request: HTTPRequest, fields: HTTPFields, path: String, date: Date,
    refusing refused: RefusedParameters? = nil, allowsAmbiguity: Bool = true,
    _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      let content = try select(from: fields, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let path = try cut(wire, refusing: refused, allowsAmbiguity: allowsAmbiguity, into: &parameters)
          return body { writer in
            writer.append(request.method.rawValue)
            writer.append(UInt8(ascii: "\n"))
            if let md5 = content.md5 { fields.withValue(at: md5) { writer.append($0) } }
            writer.append(UInt8(ascii: "\n"))
            if let type = content.type { fields.withValue(at: type) { writer.append($0) } }
            writer.append(UInt8(ascii: "\n"))
            writer.append(date)
            writer.append(UInt8(ascii: "\n"))
            for index in 0..<headers.count {
              let header = Int(headers[index].index)
              fields.withName(at: header) { writer.append($0) }
              writer.append(UInt8(ascii: ":"))
              fields.withValue(at: header) { writer.append($0) }
              writer.append(UInt8(ascii: "\n"))
            }
            writer.append(resource, path: path, of: wire, encoded: false)
            for index in 0..<parameters.count {
              writer.append(UInt8(ascii: index == 0 ? "?" : "&"))
              let parameter = parameters[index]
              writer.append(decoding: parameter, of: wire)
            }
          }
        }
      }
    }
  }

  private func select(
    from fields: HTTPFields, into headers: inout ScratchList<SelectedHeader>
  ) throws(SigningError) -> (md5: Int?, type: Int?) {
    var md5: Int?
    var type: Int?
    for index in fields.indices {
      switch fields.withName(at: index, { Role(of: $0, index, &headers) }) {
      case .md5 where md5 == nil: md5 = index
      case .type where type == nil: type = index
      case .md5, .type: throw .repeatedHeader(fields[index].name)
      case .other: break
      }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields[repeated].name) }
    return (md5, type)
  }

  /// What a header is to a V1 signature.
  private enum Role {
    case md5
    case type
    case other

    /// Tells by the name in lower case, and selects a header that starts with `x-oss-`.
    init(of name: Span<UInt8>, _ index: Int, _ headers: inout ScratchList<SelectedHeader>) {
      if name.starts(with: "x-oss-") {
        headers.append(SelectedHeader(name: name, index: Int32(index)))
        self = .other
      } else if name.count == 11, name.starts(with: "content-md5") {
        self = .md5
      } else if name.count == 12, name.starts(with: "content-type") {
        self = .type
      } else {
        self = .other
      }
    }
  }

  /// Keeps the parameters that are signed, sorted; a repeated one has no defined meaning.
  private func cut(
    _ wire: Span<UInt8>, refusing refused: RefusedParameters?, allowsAmbiguity: Bool,
    into signed: inout ScratchList<WireParameter>
  ) throws(SigningError) -> WirePath {
    guard let path = WireQuery.cut(wire, into: &signed) else { throw SigningError.unreadablePath }
    if let refused { try refused.check(signed, of: wire) }
    if !allowsAmbiguity, let problem = ambiguity(of: path, signed, wire) { throw problem }
    signed.keep { subresources.contains(wire.extracting($0.name)) }
    try WireQuery.sortDistinct(&signed, of: wire, by: .decoded)
    return path
  }
}

extension ByteWriter {
  /// Appends what stands for the date in V1.
  mutating func append(_ date: OSSV1String.Date) {
    switch date {
    case .line(let line): append(line)
    case .end(let end): append(end.unixSeconds)
    }
  }
}

/// Which query parameters are part of an OSS V1 signature.
///
/// The vendor's own SDKs disagree. This is the union of the lists of the Java, Python (oss2) and Go v2 SDKs, which are
/// tested against the service, and every parameter that starts with `x-oss-`, as Go signs them.
struct OSSSubresources: Sendable {
  /// Names that an application adds, for parameters that are newer than this list.
  private let extra: NameTable?

  init(adding extra: Set<String> = []) {
    self.extra = extra.isEmpty ? nil : NameTable(extra)
  }

  /// Whether a parameter is signed; its name is given as it travels.
  func contains(_ name: Span<UInt8>) -> Bool {
    if isListed(name) { return true }
    for index in name.indices where name[index] == UInt8(ascii: "%") || name[index] == UInt8(ascii: "+") {
      return containsDecoded(name)
    }
    return false
  }

  /// Whether a parameter is signed; its name is decoded.
  func contains(decoded name: String) -> Bool {
    withBytes(of: name) { isListed($0) }
  }

  private func containsDecoded(_ name: Span<UInt8>) -> Bool {
    isListed([UInt8](writing: { $0.append(decoding: name, plusIsSpace: true) }).span)
  }

  /// Whether a parameter is signed; its name is given decoded.
  func contains(decoded name: [UInt8]) -> Bool {
    isListed(name.span)
  }

  private func isListed(_ name: Span<UInt8>) -> Bool {
    name.starts(with: "x-oss-") || Self.known.contains(name) || extra?.contains(name) == true
  }

  private static let known = NameTable(
    """
    accessPoint accessPointConfigForObjectProcess accessPointForObjectProcess accessPointPolicy
    accessPointPolicyForObjectProcess acl append asyncFetch bucketArchiveDirectRead bucketInfo callback callback-var
    cleanRestoredObject cloudboxes cname comp continuation-token cors delete encryption endTime group httpsConfig img
    inventory inventoryId legalHold lifecycle link live location logging metaQuery objectInfo objectMeta objectWorm
    overwriteConfig partNumber policy policyStatus position processConfiguration publicAccessBlock qos qosInfo
    qosRequester redundancyTransition referer regionList replication replicationLocation replicationProgress
    requestPayment requesterQosInfo resourceGroup resourcePool resourcePoolBuckets resourcePoolInfo
    response-cache-control response-content-disposition response-content-encoding response-content-language
    response-content-type response-expires restore retention rtc seal security-token sequential startTime stat status
    style styleName symlink tagging transferAcceleration udf udfApplication udfApplicationLog udfImage udfImageDesc
    udfName uploadId uploads userDefinedLogFieldsConfig versionId versioning versions vip vod vpcip website worm
    wormExtend wormId
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}

extension OSSV1String {
  /// Returns why the V1 string of a path is that of another request first, or `nil` if it is not.
  ///
  /// V1 signs the decoded key, then a question mark, then the decoded parameters with `&` between them. The plain reading
  /// of such a text ends the key at the only question mark, a parameter at each `&`, and a name at its first `=`. A path
  /// that holds one of these characters inside a key, a name or a value has the string of another path, whose plain
  /// reading it is.
  ///
  /// - Parameter path: The path with its query, as it travels. One that cannot be read is the canonicaliser's to refuse.
  func ambiguity(of path: String) -> SigningError? {
    withBytes(of: path) { wire in
      ScratchList<WireParameter>.with { parameters in
        WireQuery.cut(wire, into: &parameters).flatMap { ambiguity(of: $0, parameters, wire) }
      }
    }
  }

  private func ambiguity(
    of path: WirePath, _ parameters: borrowing ScratchList<WireParameter>, _ wire: Span<UInt8>
  ) -> SigningError? {
    guard path.holdsSeparator else { return nil }
    if Self.decoded(wire.extracting(0..<path.end), plusIsSpace: false).contains(UInt8(ascii: "?")) {
      return .questionMarkInKey
    }
    for index in 0..<parameters.count where subresources.contains(wire.extracting(parameters[index].name)) {
      let name = Self.decoded(wire.extracting(parameters[index].name), plusIsSpace: true)
      let value = Self.decoded(wire.extracting(parameters[index].value), plusIsSpace: true)
      if name.contains(UInt8(ascii: "?")) || value.contains(UInt8(ascii: "?")) { return .questionMarkInParameter }
      if name.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "=") }) || beginsParameter(in: value) {
        return .separatorInParameter
      }
    }
    return nil
  }

  /// Whether a value goes on behind an `&` with what V1 takes for another parameter.
  private func beginsParameter(in value: [UInt8]) -> Bool {
    value.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).dropFirst().contains { piece in
      let name = Array(piece.prefix { $0 != UInt8(ascii: "=") })
      return subresources.contains(decoded: name)
    }
  }

  private static func decoded(_ text: Span<UInt8>, plusIsSpace: Bool) -> [UInt8] {
    [UInt8](writing: { $0.append(decoding: text, plusIsSpace: plusIsSpace) })
  }
}

extension SigningError {
  private static let useV4 = "Sign with V4, which signs the key and the parameters apart."

  /// The error for a key with a question mark.
  static let questionMarkInKey = SigningError(
    .invalidPath,
    "The key holds a question mark (?): a V1 signature for it is also one for the key before the question mark with "
      + "the rest as parameters.",
    remedy: useV4)

  /// The error for a signed parameter with a question mark.
  fileprivate static let questionMarkInParameter = SigningError(
    .invalidPath,
    "A signed parameter holds a question mark (?): a V1 signature for it is also one for another key and other "
      + "parameters.",
    remedy: useV4)

  /// The error for a signed parameter that holds what separates parameters.
  fileprivate static let separatorInParameter = SigningError(
    .invalidPath,
    "A signed parameter holds & or = where another parameter would begin: a V1 signature for it is also one for other "
      + "parameters.",
    remedy: useV4)
}
