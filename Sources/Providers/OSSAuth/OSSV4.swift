// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The canonical request of OSS V4: verb, resource, query, headers, names of additional headers and payload hash.
///
/// ``OSSSigner`` lists the sources.
struct OSSV4Request {
  let resource: OSSResource
  /// The sorted, lowercase names of headers that are signed although V4 does not require them.
  let additionalHeaders: [String]

  /// Calls `body` with a function that appends the V4 canonical request.
  ///
  /// `omitting` names the parameter with the signature. An unsigned request must not have a parameter in `refused`.
  func withCanonicalRequest<Result>(
    _ request: HTTPRequest, fields: borrowing FieldDraft, path: String, omitting: StaticString? = nil,
    refusing refused: RefusedParameters? = nil, part: SignedTextPart = .whole,
    _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      try selectHeaders(from: fields, authority: request.authority, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let wirePath = try selectParameters(of: wire, omitting: omitting, refusing: refused, into: &parameters)
          return body { writer in
            if part.hasPath {
              writer.append(request.method.rawValue)
              writer.append(UInt8(ascii: "\n"))
              writer.append(resource, path: wirePath, of: wire, encoded: true)
            }
            guard part.hasRest else { return }
            writer.append(UInt8(ascii: "\n"))
            for index in 0..<parameters.count {
              if index > 0 { writer.append(UInt8(ascii: "&")) }
              writer.append(canonical: parameters[index], of: wire, keepsEmptyValue: false)
            }
            writer.append(UInt8(ascii: "\n"))
            appendHeaders(headers, of: request, fields: fields, to: &writer)
            writer.append(UInt8(ascii: "\n"))
            appendAdditionalNames(of: headers, in: fields, to: &writer)
            writer.append(UInt8(ascii: "\n"))
            if let hashIndex = fields.index(of: .ossContentSHA256) {
              writer.append(valueAt: hashIndex, of: fields)
            } else {
              writer.append(OSSText.unsignedPayload)
            }
          }
        }
      }
    }
  }

  private func appendHeaders(
    _ headers: borrowing ScratchList<SelectedHeader>, of request: HTTPRequest, fields: borrowing FieldDraft,
    to writer: inout ByteWriter
  ) {
    for index in 0..<headers.count {
      headers[index].appendName(in: fields, to: &writer)
      writer.append(UInt8(ascii: ":"))
      if headers[index].index == SelectedHeader.hostIndex {
        writer.append(request.authority ?? "")
      } else {
        writer.append(valueAt: Int(headers[index].index), of: fields)
      }
      writer.append(UInt8(ascii: "\n"))
    }
  }

  private func appendAdditionalNames(
    of headers: borrowing ScratchList<SelectedHeader>, in fields: borrowing FieldDraft,
    to writer: inout ByteWriter
  ) {
    if additionalHeaders.isEmpty { return }
    var isFirst = true
    for index in 0..<headers.count {
      let name = headers[index].name(in: fields)
      guard additionalHeaders.containsSorted(name) else { continue }
      if !isFirst { writer.append(UInt8(ascii: ";")) }
      writer.append(name)
      isFirst = false
    }
  }

  private func selectHeaders(
    from fields: borrowing FieldDraft, authority: String?, into headers: inout ScratchList<SelectedHeader>
  ) throws(SigningError) {
    for index in fields.indices {
      let name = fields.canonicalName(at: index)
      withBytes(of: name) { bytes in
        if Self.isSignedByRule(bytes) || additionalHeaders.containsSorted(name) {
          headers.append(SelectedHeader(name: bytes, index: Int32(index)))
        }
      }
    }
    if authority != nil, additionalHeaders.containsSorted("host") {
      withBytes(of: "host") { headers.append(SelectedHeader(name: $0, index: SelectedHeader.hostIndex)) }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields.name(at: repeated)) }
  }

  /// Returns whether V4 signs a header, given its lowercase name, in every request ("Canonical headers").
  static func isSignedByRule(_ name: Span<UInt8>) -> Bool {
    name.starts(with: "x-oss-")
      || name.count == 12 && name.starts(with: "content-type")
      || name.count == 11 && name.starts(with: "content-md5")
  }

  static func isSignedByRule(_ name: String) -> Bool { withBytes(of: name) { isSignedByRule($0) } }

  /// Selects and sorts the parameters, and returns the path before them.
  private func selectParameters(
    of wire: Span<UInt8>, omitting: StaticString?, refusing refused: RefusedParameters?,
    into parameters: inout ScratchList<WireParameter>
  ) throws(SigningError) -> WirePath {
    guard let wirePath = WireQuery.split(wire, into: &parameters) else { throw .unreadablePath }
    if let refused { try refused.check(parameters, of: wire) }
    if let omitting { parameters.keep { !$0.isNamed(omitting, in: wire) } }
    try WireQuery.sortDistinct(&parameters, of: wire, by: .encoded)
    return wirePath
  }
}

/// The source of the bucket name in a signed OSS resource.
enum OSSResource: Equatable {
  /// The path starts with the bucket name: `/bucket/key`.
  case inPath
  /// The path contains only the key; the bucket name comes from the host or from the signer.
  case bucket(String)
  /// The request is for the service, without a bucket.
  case service
}

extension ByteWriter {
  /// Appends the canonical OSS resource, percent-encoded for V4 or decoded for V1: `/`, `/bucket/` or `/bucket/key`.
  mutating func append(_ resource: OSSResource, path: WirePath, of wire: Span<UInt8>, encoded: Bool) {
    if case .bucket(let bucket) = resource {
      append(UInt8(ascii: "/"))
      append(bucket)
    }
    if encoded { append(normalizing: path, of: wire) } else { append(decoding: path, of: wire) }
    if case .inPath = resource, isBucketAlone(wire.extracting(0..<path.end)) { append(UInt8(ascii: "/")) }
  }

  /// Returns whether a path is `/bucket`, without a slash after the bucket name, which may be percent-encoded.
  private func isBucketAlone(_ path: Span<UInt8>) -> Bool {
    guard path.count > 1 else { return false }
    for index in 1..<path.count {
      if path[index] == UInt8(ascii: "/") { return false }
      let remainder = path.extracting(index...)
      if remainder.starts(with: "%2F") || remainder.starts(with: "%2f") { return false }
    }
    return true
  }
}

/// The scope of a V4 signing key: a day, a region and a product.
struct OSSV4Scope {
  let date: Timestamp
  let time: BasicTime
  let region: String
  let product: String

  init(date: Timestamp, region: String, product: String) {
    self.date = date
    time = BasicTime(date)
    self.region = region
    self.product = product
  }

  /// Appends the scope, such as `20261120/cn-hangzhou/oss/aliyun_v4_request`.
  func append(to writer: inout ByteWriter, separator: StaticString = "/") {
    writer.append(dayOf: time)
    writer.append(separator)
    writer.append(region)
    writer.append(separator)
    writer.append(product)
    writer.append(separator)
    writer.append(OSSText.scopeTerminator)
  }

  /// Appends the V4 string to sign for a canonical request with the given hash.
  func append(stringToSign hash: Digest, to writer: inout ByteWriter) {
    append(stringToSign: hash, dateLine: { $0.append(time) }, to: &writer)
  }

  /// Appends the V4 string to sign with a custom date line, as some SDKs sign it.
  func append(stringToSign hash: Digest, dateLine: (inout ByteWriter) -> Void, to writer: inout ByteWriter) {
    append(headWithDateLine: dateLine, to: &writer)
    writer.append(hex: hash)
  }

  private func append(headWithDateLine dateLine: (inout ByteWriter) -> Void, to writer: inout ByteWriter) {
    writer.append(OSSText.v4Algorithm)
    writer.append(UInt8(ascii: "\n"))
    dateLine(&writer)
    writer.append(UInt8(ascii: "\n"))
    append(to: &writer)
    writer.append(UInt8(ascii: "\n"))
  }

  /// Returns the V4 signing key, which is derived once per access key and day.
  func signingKey(of key: AccessKey) -> HMACKey<SHA256> {
    let scope = KeyScope(from: date.dayNumber, to: date.dayNumber, region: region, service: product)
    return key.signingKey(for: scope) { secret in
      let dateKey = HMACKey<SHA256>(writing: {
        $0.append("aliyun_v4")
        $0.append(secret)
      }).derivedKey { $0.append(dayOf: time) }
      let regionKey = dateKey.derivedKey { $0.append(region) }
      let productKey = regionKey.derivedKey { $0.append(product) }
      return productKey.derivedKey { $0.append(OSSText.scopeTerminator) }
    }
  }

  /// Returns the signing key after it has hashed the string to sign up to the hash of the canonical request.
  func startedSigningKey(of key: AccessKey) -> HMACKey<SHA256> {
    signingKey(of: key).startingMessages { append(headWithDateLine: { $0.append(time) }, to: &$0) }
  }
}

extension OSSSigner {
  /// Calls `body` with a function that appends the V4 canonical request of a draft.
  func withV4Request<Result>(
    of draft: borrowing OSSDraft, for request: HTTPRequest, part: SignedTextPart = .whole,
    _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try OSSV4Request(resource: draft.resource, additionalHeaders: additionalHeaders)
      .withCanonicalRequest(
        request, fields: draft.fields, path: draft.path, refusing: draft.refusedParameters, part: part, body)
  }

  /// Appends the value of `Authorization` up to the signature.
  func append(
    v4AuthorizationPrefixOf draft: borrowing OSSDraft, in scope: OSSV4Scope, for request: HTTPRequest, id: AccessKeyID,
    to writer: inout ByteWriter
  ) {
    writer.append(OSSText.v4Algorithm)
    writer.append(" Credential=")
    writer.append(id.string)
    writer.append(UInt8(ascii: "/"))
    scope.append(to: &writer)
    if !additionalHeaders.isEmpty {
      let names = additionalNames(in: request, fields: draft.fields)
      if !names.isEmpty {
        writer.append(",AdditionalHeaders=")
        writer.append(names)
      }
    }
    writer.append(",Signature=")
  }

  /// Returns the path and the query of a presigned V4 URL, except the signature, which covers all of it.
  func v4SignedPath(
    presigning path: String, of request: HTTPRequest, as identity: Identity, seconds: Int64, in scope: OSSV4Scope
  ) -> String {
    let additionalNames = additionalNames(in: request, fields: FieldDraft(request.headerFields))
    return String(writing: { writer in
      writer.append(path)
      writer.append(separatorAfter: path)
      writer.append("x-oss-signature-version=")
      writer.append(OSSText.v4Algorithm)
      writer.append("&x-oss-credential=")
      writer.append(percentEncoding: identity.id.string)
      writer.append("%2F")
      scope.append(to: &writer, separator: "%2F")
      writer.append("&x-oss-date=")
      writer.append(scope.time)
      writer.append("&x-oss-expires=")
      writer.append(seconds)
      if !additionalNames.isEmpty {
        writer.append("&x-oss-additional-headers=")
        writer.append(percentEncoding: additionalNames)
      }
      if let token = identity.sessionToken {
        writer.append("&x-oss-security-token=")
        writer.append(percentEncoding: token)
      }
    })
  }

  /// Returns the names of the additional headers that a request contains, separated by `;`.
  private func additionalNames(in request: HTTPRequest, fields: borrowing FieldDraft) -> String {
    additionalHeaders.filter { name in
      name == "host" ? request.authority != nil : fields.indices.contains { fields.canonicalName(at: $0) == name }
    }.joined(separator: ";")
  }
}

/// The limits that OSS sets for signatures.
///
/// Source: Alibaba Cloud, "Appendix: Signature version 4", and
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/add-signatures-to-urls>.
public enum OSSLimits {
  /// The maximum lifetime of a V4 URL that a permanent key signs, and of a V4 form: seven days.
  public static let urlLifetime = Duration.seconds(604_800)
  /// The maximum lifetime of a V4 URL that a temporary key signs: twelve hours.
  public static let temporaryURLLifetime = Duration.seconds(43_200)
  /// The maximum difference between the signing time and the current time: fifteen minutes.
  public static let clockTolerance = VerificationLimits.clockTolerance

  static func urlLifetimeSeconds(isTemporary: Bool) -> ClosedRange<Int64> {
    1...(isTemporary ? temporaryURLLifetime : urlLifetime).components.seconds
  }
}

/// The constant parts of OSS signatures.
enum OSSText {
  static let v4Algorithm: StaticString = "OSS4-HMAC-SHA256"
  static let scopeTerminator: StaticString = "aliyun_v4_request"
  static let unsignedPayload: StaticString = "UNSIGNED-PAYLOAD"
  static let unsignedPayloadField = HTTPField(name: .ossContentSHA256, value: "UNSIGNED-PAYLOAD")
  /// The characters that an access key ID must not contain: a comma and a slash end it in V4 headers, a colon in V1.
  static let idDelimiters: IDDelimiters = [.comma, .slash, .colon]
}

extension HTTPField.Name {
  package static let ossDate = known("x-oss-date")
  package static let ossContentSHA256 = known("x-oss-content-sha256")
  package static let ossError = known("x-oss-err")
  package static let ossSecurityToken = known("x-oss-security-token")
  package static let ossCallback = known("x-oss-callback")
  package static let ossCallbackVariables = known("x-oss-callback-var")
  package static let ossPublicKeyURL = known("x-oss-pub-key-url")
}
