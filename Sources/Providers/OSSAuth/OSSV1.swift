// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The OSS V1 string to sign, which consists of verb, Content-MD5, Content-Type, date, `x-oss-` headers and resource.
///
/// ``OSSSigner`` lists the sources.
struct OSSV1String {
  let resource: OSSResource
  let subresources: OSSSubresources

  enum DateLine {
    /// The date of a request, exactly as sent in the header.
    case header(String)
    /// The expiration of a presigned URL, as Unix time.
    case expiration(Timestamp)
  }

  /// Calls `body` with a function that appends the V1 string to sign for a request.
  ///
  /// It throws an error if a parameter is in `refused` or, unless `allowsAmbiguity` is set, if the string is ambiguous.
  func withStringToSign<Result>(
    _ request: HTTPRequest, fields: borrowing FieldDraft, path: String, dateLine: DateLine,
    refusing refused: RefusedParameters? = nil, allowsAmbiguity: Bool = true, part: SignedTextPart = .whole,
    _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      let contentHeaders = try selectHeaders(from: fields, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let wirePath = try selectParameters(
            of: wire, refusing: refused, allowsAmbiguity: allowsAmbiguity, into: &parameters)
          return body { writer in
            if part.hasPath {
              writer.append(request.method.rawValue)
              writer.append(UInt8(ascii: "\n"))
              if let md5 = contentHeaders.md5 { writer.append(valueAt: md5, of: fields) }
              writer.append(UInt8(ascii: "\n"))
              if let type = contentHeaders.type { writer.append(valueAt: type, of: fields) }
              writer.append(UInt8(ascii: "\n"))
              writer.append(dateLine)
              writer.append(UInt8(ascii: "\n"))
              for index in 0..<headers.count {
                headers[index].appendName(in: fields, to: &writer)
                writer.append(UInt8(ascii: ":"))
                writer.append(valueAt: Int(headers[index].index), of: fields)
                writer.append(UInt8(ascii: "\n"))
              }
              writer.append(resource, path: wirePath, of: wire, encoded: false)
            }
            guard part.hasRest else { return }
            for index in 0..<parameters.count {
              writer.append(UInt8(ascii: index == 0 ? "?" : "&"))
              writer.append(decoding: parameters[index], of: wire)
            }
          }
        }
      }
    }
  }

  /// Selects and sorts the `x-oss-` headers, and returns the indices of the headers that have a line of their own.
  private func selectHeaders(
    from fields: borrowing FieldDraft, into headers: inout ScratchList<SelectedHeader>
  ) throws(SigningError) -> (md5: Int?, type: Int?) {
    var md5: Int?
    var type: Int?
    for index in fields.indices {
      switch withBytes(of: fields.canonicalName(at: index), { select($0, at: index, into: &headers) }) {
      case .contentMD5 where md5 == nil: md5 = index
      case .contentType where type == nil: type = index
      case .contentMD5, .contentType: throw .repeatedHeader(fields.name(at: index))
      case .other: break
      }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields.name(at: repeated)) }
    return (md5, type)
  }

  private enum Role { case contentMD5, contentType, other }

  /// Returns the role of a header with a lowercase name, and adds an `x-oss-` header to the selected headers.
  private func select(_ name: Span<UInt8>, at index: Int, into headers: inout ScratchList<SelectedHeader>) -> Role {
    switch name.count {
    case 11 where name.starts(with: "content-md5"): return .contentMD5
    case 12 where name.starts(with: "content-type"): return .contentType
    default:
      if name.starts(with: "x-oss-") { headers.append(SelectedHeader(name: name, index: Int32(index))) }
      return .other
    }
  }

  /// Selects and sorts the query parameters to sign; a repeated parameter is rejected because its meaning is undefined.
  private func selectParameters(
    of wire: Span<UInt8>, refusing refused: RefusedParameters?, allowsAmbiguity: Bool,
    into parameters: inout ScratchList<WireParameter>
  ) throws(SigningError) -> WirePath {
    guard let wirePath = WireQuery.split(wire, into: &parameters) else { throw SigningError.unreadablePath }
    try refused?.check(parameters, of: wire)
    if !allowsAmbiguity, let error = ambiguity(of: wirePath, parameters, in: wire) { throw error }
    parameters.keep { subresources.contains(wire.extracting($0.name)) }
    try WireQuery.sortDistinct(&parameters, of: wire, by: .decoded)
    return wirePath
  }

  /// Returns an error if the V1 string to sign for a path is also the string of another request.
  ///
  /// V1 signs the decoded key, a question mark, and the decoded parameters with `&` between them. The plain reading of
  /// such a string ends the key at the only question mark, a parameter at each `&`, and a name at its first `=`. If a
  /// key, a name or a value contains one of these characters, the plain reading is another request. The
  /// canonicalization rejects a path that cannot be parsed.
  func ambiguity(of path: String) -> SigningError? {
    withBytes(of: path) { wire in
      ScratchList<WireParameter>.with { parameters in
        WireQuery.split(wire, into: &parameters).flatMap { ambiguity(of: $0, parameters, in: wire) }
      }
    }
  }

  private func ambiguity(
    of path: WirePath, _ parameters: borrowing ScratchList<WireParameter>, in wire: Span<UInt8>
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

  /// Returns whether a parameter's value contains an `&` after which V1 would read another parameter.
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

extension ByteWriter {
  mutating func append(_ dateLine: OSSV1String.DateLine) {
    switch dateLine {
    case .header(let value): append(value)
    case .expiration(let expiration): append(expiration.unixSeconds)
    }
  }
}

/// The query parameters that an OSS V1 signature covers, which OSS calls sub-resources.
///
/// The vendor's SDKs disagree about them. The list is the union of the lists in the Java, Python (oss2) and Go v2 SDKs,
/// which are tested against the service. A parameter that starts with `x-oss-` is always covered, as in the Go SDK.
struct OSSSubresources: Sendable {
  private let additional: NameTable?

  init(adding names: Set<String> = []) { additional = names.isEmpty ? nil : NameTable(names) }

  /// Returns whether V1 signs the query parameter with the given percent-encoded name.
  func contains(_ name: Span<UInt8>) -> Bool {
    if isListed(name) { return true }
    for index in name.indices where name[index] == UInt8(ascii: "%") || name[index] == UInt8(ascii: "+") {
      return contains(decoded: [UInt8](writing: { $0.append(decoding: name, plusIsSpace: true) }))
    }
    return false
  }

  func contains(decoded name: String) -> Bool { withBytes(of: name) { isListed($0) } }
  func contains(decoded name: [UInt8]) -> Bool { name.withElements { isListed($0) } }

  private func isListed(_ name: Span<UInt8>) -> Bool {
    name.starts(with: "x-oss-") || Self.listedNames.contains(name) || additional?.contains(name) == true
  }

  private static let listedNames = NameTable(
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

extension SigningError {
  private static let useV4 = "Sign with V4, which signs the key and the parameters apart."

  static let questionMarkInKey = SigningError(
    .invalidPath,
    "The key contains a question mark (?): a V1 signature for it is also one for the key before the question mark with "
      + "the rest as parameters.", remedy: useV4)

  fileprivate static let questionMarkInParameter = SigningError(
    .invalidPath,
    "A signed parameter contains a question mark (?): a V1 signature for it is also one for another key and other "
      + "parameters.", remedy: useV4)

  fileprivate static let separatorInParameter = SigningError(
    .invalidPath,
    "A signed parameter has & or = where another parameter would begin: a V1 signature for it is also one for other "
      + "parameters.", remedy: useV4)
}

extension OSSSigner {
  /// Returns the date to sign, and sets `Date` to it; the caller's `x-oss-date` takes precedence, as at the service.
  func setV1Date(of fields: inout FieldDraft, to date: String) throws(SigningError) -> String {
    guard let index = fields.index(of: .ossDate) else {
      fields.set(date, named: .date)
      return date
    }
    let chosen = fields.value(at: index)
    guard Timestamp(httpDate: chosen) != nil else {
      throw SigningError(
        .invalidHeader, "The header x-oss-date is not an HTTP date.",
        remedy: "Write it like Fri, 20 Nov 2026 08:00:00 GMT, or leave it out: the signer sets Date.")
    }
    if fields.index(of: .date) != nil { fields.set(chosen, named: .date) }
    return chosen
  }

  /// Calls `body` with a function that appends the V1 string to sign of a draft.
  func withV1String<Result>(
    of draft: borrowing OSSDraft, for request: HTTPRequest, _ dateLine: OSSV1String.DateLine,
    part: SignedTextPart = .whole, _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try OSSV1String(resource: draft.resource, subresources: subresources)
      .withStringToSign(
        request, fields: draft.fields, path: draft.path, dateLine: dateLine, refusing: draft.refusedParameters,
        allowsAmbiguity: !draft.isPresigned || allowsAmbiguousV1, part: part, body)
  }

  /// Returns the path and the query that a V1 signature in a URL covers, with the session token as the only addition.
  func v1SignedPath(presigning path: String, as identity: Identity) -> String {
    guard let token = identity.sessionToken else { return path }
    return String(writing: { writer in
      writer.append(path)
      writer.append(separatorAfter: path)
      append(v1Token: token, to: &writer)
    })
  }

  /// Appends the path and the query of a presigned URL, except the signature.
  func append(
    v1URLPath path: String, _ dateLine: OSSV1String.DateLine, as identity: Identity, to writer: inout ByteWriter
  ) {
    writer.append(path)
    writer.append(separatorAfter: path)
    writer.append("OSSAccessKeyId=")
    writer.append(percentEncoding: identity.id.string)
    writer.append("&Expires=")
    writer.append(dateLine)
    guard let token = identity.sessionToken else { return }
    writer.append(UInt8(ascii: "&"))
    append(v1Token: token, to: &writer)
  }

  private func append(v1Token token: Secret, to writer: inout ByteWriter) {
    writer.append("security-token=")
    writer.append(percentEncoding: token)
  }
}
