// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
package import StorageCrypto

/// The canonical request of S3: method, path, query, headers, names of the signed headers, and hash of the body.
///
/// Unlike the paths of other AWS services, the path is decoded and encoded once, and is not normalized. Source: AWS,
/// "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk",
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>.
package struct S3CanonicalRequest {
  enum HeaderSelection {
    /// The headers that have an effect at the service, and additional headers, whose names are sorted and lowercase.
    case byRule(adding: [String])
    /// Exactly the given headers, whose names are sorted and lowercase.
    case listed([String])
  }

  let selection: HeaderSelection
  /// The line for the body; `nil` stands for the value of `x-amz-content-sha256`, or `UNSIGNED-PAYLOAD` without it.
  var payload: String?
  /// Whether signed headers may contain control characters; for a verifier, they only change the computed signature.
  var allowsControlCharacters = false

  /// Calls `body` with a function that appends the canonical request, and with the names of the signed headers.
  ///
  /// `omitting` names the parameter with the signature. An unsigned request must not have a parameter in `refused`.
  package func withCanonicalRequest<Result>(
    _ request: HTTPRequest, fields: borrowing FieldDraft, path: String, omitting: StaticString? = nil,
    refusing refused: RefusedParameters? = nil, part: SignedTextPart = .whole,
    _ body: (_ appendText: (inout ByteWriter) -> Void, _ names: Span<UInt8>) -> Result
  ) throws(SigningError) -> Result {
    try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      try selectHeaders(from: fields, authority: request.authority, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let wirePath = try Self.selectParameters(of: wire, omitting: omitting, refusing: refused, into: &parameters)
          // The names are written once and used three times: twice in the text, and in the header of the signature.
          return withWrittenBytes({ appendNames(of: headers, in: fields, to: &$0) }) { names in
            body(
              { writer in
                if part.hasPath {
                  writer.append(request.method.rawValue)
                  writer.append(UInt8(ascii: "\n"))
                  writer.append(normalizing: wirePath, of: wire)
                }
                guard part.hasRest else { return }
                writer.append(UInt8(ascii: "\n"))
                for index in 0..<parameters.count {
                  if index > 0 { writer.append(UInt8(ascii: "&")) }
                  writer.append(canonical: parameters[index], of: wire, keepsEmptyValue: true)
                }
                writer.append(UInt8(ascii: "\n"))
                appendHeaders(headers, named: names, of: request, fields: fields, to: &writer)
                writer.append(UInt8(ascii: "\n"))
                if let payload {
                  writer.append(payload)
                } else if let hashIndex = fields.index(of: .s3ContentSHA256) {
                  writer.append(valueAt: hashIndex, of: fields)
                } else {
                  writer.append(S3Text.unsignedPayload)
                }
              }, names)
          }
        }
      }
    }
  }

  /// Appends the headers, an empty line and the header names, with commas between the values of a repeated header.
  private func appendHeaders(
    _ headers: borrowing ScratchList<SelectedHeader>, named names: Span<UInt8>, of request: HTTPRequest,
    fields: borrowing FieldDraft, to writer: inout ByteWriter
  ) {
    var nameStart = 0
    for index in 0..<headers.count {
      let header = headers[index]
      if header.repeatsName {
        writer.append(UInt8(ascii: ","))
      } else {
        if index > 0 { writer.append(UInt8(ascii: "\n")) }
        let nameEnd = names.endOfHeaderName(from: nameStart)
        writer.append(names.extracting(nameStart..<nameEnd))
        writer.append(UInt8(ascii: ":"))
        nameStart = nameEnd + 1
      }
      if header.index == SelectedHeader.hostIndex {
        writer.append(canonicalHost: request.authority ?? "", scheme: request.scheme)
      } else {
        writer.append(collapsingValueOf: header, in: fields)
      }
    }
    writer.append("\n\n")
    writer.append(names)
  }

  /// Returns the names of a request's signed headers, sorted and separated by `;`.
  func names(of fields: borrowing FieldDraft, authority: String?) throws(SigningError) -> String {
    try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      try selectHeaders(from: fields, authority: authority, into: &headers)
      return String(writing: { appendNames(of: headers, in: fields, to: &$0) })
    }
  }

  private func appendNames(
    of headers: borrowing ScratchList<SelectedHeader>, in fields: borrowing FieldDraft, to writer: inout ByteWriter
  ) {
    for index in 0..<headers.count {
      if headers[index].repeatsName { continue }
      if index > 0 { writer.append(UInt8(ascii: ";")) }
      headers[index].appendName(in: fields, to: &writer)
    }
  }

  /// Selects and sorts the signed headers, and rejects a repeated header of which a service may read only one copy.
  private func selectHeaders(
    from fields: borrowing FieldDraft, authority: String?, into selectedHeaders: inout ScratchList<SelectedHeader>
  ) throws(SigningError) {
    for index in fields.indices {
      try withBytes(of: fields.canonicalName(at: index)) { (name) throws(SigningError) in
        guard signs(name) else { return }
        let traits = fields.traitsOfValue(at: index)
        guard allowsControlCharacters || !traits.holdsControl else {
          throw SigningError(
            .invalidHeader,
            "The header \(fields.name(at: index).rawName), which is signed, contains a control character.",
            remedy: "Replace a tab by a space, and encode the value.")
        }
        selectedHeaders.append(SelectedHeader(name: name, index: Int32(index), isCollapsed: traits.isCollapsed))
      }
    }
    if authority != nil {
      withBytes(of: "host") { selectedHeaders.append(SelectedHeader(name: $0, index: SelectedHeader.hostIndex)) }
    }
    guard SelectedHeader.sort(&selectedHeaders, of: fields) != nil else { return }
    for index in 1..<selectedHeaders.count where selectedHeaders[index].repeatsName {
      let repeated = Int(max(selectedHeaders[index].index, selectedHeaders[index - 1].index))
      guard fields.canonicalName(at: repeated).isRepeatable else { throw .repeatedHeader(fields.name(at: repeated)) }
    }
  }

  func signs(_ name: String) -> Bool { withBytes(of: name) { signs($0) } }

  private func signs(_ name: Span<UInt8>) -> Bool {
    switch selection {
    case .byRule(let additional):
      Self.isSignedByRule(name)
        || !additional.isEmpty && additional.containsSorted(String(writing: { $0.append(name) }))
    case .listed(let names): names.containsSorted(String(writing: { $0.append(name) }))
    }
  }

  static func isSignedByRule(_ name: String) -> Bool { withBytes(of: name) { isSignedByRule($0) } }

  /// Returns whether a header is signed in every request: it has an effect at the service, and no proxy changes it.
  ///
  /// AWS requires the `x-amz-` headers and either `content-type` or `content-md5`; its pages disagree.
  private static func isSignedByRule(_ name: Span<UInt8>) -> Bool {
    if name.isEmpty { return false }
    switch (name[0], name.count) {
    case (UInt8(ascii: "x"), _): return name.starts(with: "x-amz-")
    case (UInt8(ascii: "i"), _): return name.starts(with: "if-")
    case (UInt8(ascii: "c"), 11): return name.starts(with: "content-md5")
    case (UInt8(ascii: "c"), 12): return name.starts(with: "content-type")
    case (UInt8(ascii: "r"), 5): return name.starts(with: "range")
    default: return false
    }
  }

  /// Selects and sorts the parameters, and returns the path before them.
  private static func selectParameters(
    of wire: Span<UInt8>, omitting: StaticString?, refusing refused: RefusedParameters?,
    into parameters: inout ScratchList<WireParameter>
  ) throws(SigningError) -> WirePath {
    guard let wirePath = WireQuery.split(wire, into: &parameters) else { throw .unreadablePath }
    if let refused { try refused.check(parameters, of: wire) }
    if let omitting { parameters.keep { !$0.isNamed(omitting, in: wire) } }
    for index in 0..<wirePath.end where wire[index] == UInt8(ascii: "+") { throw .plusInPath }
    for index in 0..<parameters.count where parameters[index].name.isEmpty { throw .namelessParameter }
    try WireQuery.sortDistinct(&parameters, of: wire, by: .encoded)
    return wirePath
  }
}

extension S3CanonicalRequest {
  /// Creates a canonical request with exactly the given headers, whose names are sorted and lowercase.
  package init(signing names: [String], payload: String?) { self.init(selection: .listed(names), payload: payload) }
}

extension String {
  /// Whether a signed header may be repeated: a list or metadata, of which the service reads all copies.
  fileprivate var isRepeatable: Bool {
    if hasBytePrefix("x-amz-meta-") { return true }
    if self == "host" || S3CanonicalRequest.isSignedByRule(self) { return false }
    return !["date", "authorization", "content-length", "content-disposition", "expires"].contains(self)
  }
}

extension ByteWriter {
  /// Appends a host in the form that is signed: lowercase, without the default port of the scheme.
  mutating func append(canonicalHost authority: String, scheme: String?) {
    let port: StaticString? =
      switch scheme {
      case "https": ":443"
      case "http": ":80"
      default: nil
      }
    withBytes(of: authority) { bytes in
      var end = bytes.count
      if let port, end > port.utf8CodeUnitCount {
        let start = end - port.utf8CodeUnitCount
        if bytes.extracting(start...).starts(with: port) { end = start }
      }
      append(lowercased: bytes.extracting(..<end))
    }
  }
}

extension SigningError {
  static let plusInPath = SigningError(
    .invalidPath, "The path contains a plus sign, which S3 reads as a space and other services read as a plus sign.",
    remedy: "Write %2B for a plus sign and %20 for a space; ServiceEndpoint does that.")
}

extension [String] {
  var areSortedAndDistinct: Bool { zip(self, dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
}

/// The scope of a signing key: a day, a region and a service.
///
/// Source: AWS, "Authenticating Requests (AWS Signature Version 4)".
package struct S3Scope: Sendable {
  let date: Timestamp
  let time: BasicTime
  let region: String
  let service: String

  package init(date: Timestamp, region: String, service: String) {
    self.date = date
    time = BasicTime(date)
    self.region = region
    self.service = service
  }

  /// The signing time in the basic format of ISO 8601, such as `20261120T080000Z`.
  var dateText: String { String(writing: { $0.append(time) }) }

  /// Appends the scope, such as `20261120/eu-central-1/s3/aws4_request`.
  func append(to writer: inout ByteWriter, separator: StaticString = "/") {
    writer.append(dayOf: time)
    writer.append(separator)
    writer.append(region)
    writer.append(separator)
    writer.append(service)
    writer.append(separator)
    writer.append(S3Text.scopeTerminator)
  }

  /// Appends the string to sign for a canonical request with the given hash.
  package func append(stringToSign hash: Digest, to writer: inout ByteWriter) {
    append(headWithSuffix: "", to: &writer)
    writer.append(hex: hash)
  }

  /// Appends the algorithm with a suffix (`-PAYLOAD` for a chunk, `-TRAILER`), the date and the scope, a line each.
  func append(headWithSuffix suffix: StaticString, to writer: inout ByteWriter) {
    writer.append(S3Text.algorithm)
    writer.append(suffix)
    writer.append(UInt8(ascii: "\n"))
    writer.append(time)
    writer.append(UInt8(ascii: "\n"))
    append(to: &writer)
    writer.append(UInt8(ascii: "\n"))
  }

  /// Returns the signature of a canonical request with the given hash.
  func signature(of hash: Digest, with key: AccessKey) -> Digest {
    signingKey(of: key).authenticationCode { append(stringToSign: hash, to: &$0) }
  }

  /// Returns the signing key after it has hashed the string to sign up to the hash of the canonical request.
  func startedSigningKey(of key: AccessKey) -> HMACKey<SHA256> {
    signingKey(of: key).startingMessages { append(headWithSuffix: "", to: &$0) }
  }

  /// Returns the signing key for the scope, which is derived once from an access key.
  package func signingKey(of key: AccessKey) -> HMACKey<SHA256> {
    // The second number distinguishes these keys from the keys of other schemes for the same day, region and service.
    let scope = KeyScope(from: date.dayNumber, to: ~date.dayNumber, region: region, service: service)
    return key.signingKey(for: scope) { secret in
      let dateKey = HMACKey<SHA256>(writing: {
        $0.append("AWS4")
        $0.append(secret)
      }).derivedKey { $0.append(dayOf: time) }
      let regionKey = dateKey.derivedKey { $0.append(region) }
      let serviceKey = regionKey.derivedKey { $0.append(service) }
      return serviceKey.derivedKey { $0.append(S3Text.scopeTerminator) }
    }
  }
}

extension String {
  /// Whether the string can be the region or the service of a SigV4 scope, which are labels of host names.
  var isAmazonScopePart: Bool { isScopePart(atMost: 63) }
}

/// The limits that S3 sets for signatures.
///
/// Sources: AWS, "Authenticating Requests: Using Query Parameters", "Signature Calculations for the Authorization
/// Header: Transferring Payload in Multiple Chunks (Chunked Upload)" and "POST Policy".
public enum S3Limits {
  /// The maximum lifetime of a presigned URL: seven days.
  public static let urlLifetime = Duration.seconds(604_800)
  /// The minimum size, in bytes, of every chunk except the last one with data.
  public static let minimumChunkByteCount = 8192
  /// The maximum size, in bytes, of the form fields before the file.
  public static let formByteLimit = 20_480

  /// The maximum size, in bytes, of a trailer, to limit the memory that a client can use; a checksum needs less.
  static let trailerByteLimit = 16_384
  static let urlLifetimeSeconds = 1...urlLifetime.components.seconds
  /// The number of hexadecimal digits in a signature or a hash.
  static let hexDigitCount = 64
}

/// The constant parts of S3 signatures.
enum S3Text {
  static let algorithm: StaticString = "AWS4-HMAC-SHA256"
  static let scopeTerminator: StaticString = "aws4_request"
  static let unsignedPayload: StaticString = "UNSIGNED-PAYLOAD"
  static let emptyHash: StaticString = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  static let signatureParameter: StaticString = "X-Amz-Signature"

  /// The names of the query parameters that contain a signature in a URL; only `X-Amz-Signature` is not signed.
  static let v4Parameters = [
    "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders",
    "X-Amz-Security-Token", "X-Amz-Signature",
  ]

  /// The query parameters of Signature Versions 4 and 2, which a request must not contain before it is signed.
  static let signatureParameters = NameTable(v4Parameters + ["AWSAccessKeyId", "Signature"])
  /// The characters that an access key ID must not contain; slashes are allowed, as the scope is read from the end.
  static let idDelimiters = IDDelimiters.comma
}

extension HTTPField.Name {
  package static let s3Date = known("x-amz-date")
  package static let s3ContentSHA256 = known("x-amz-content-sha256")
  package static let s3SecurityToken = known("x-amz-security-token")
  package static let s3DecodedContentLength = known("x-amz-decoded-content-length")
  package static let s3Trailer = known("x-amz-trailer")
  package static let s3SessionToken = known("x-amz-s3session-token")
  package static let s3RegionSet = known("x-amz-region-set")
}
