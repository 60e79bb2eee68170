// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension HTTPField.Name {
  package static let ossDate = known("x-oss-date")
  package static let ossContentSHA256 = known("x-oss-content-sha256")
  package static let ossError = known("x-oss-err")
  package static let ossSecurityToken = known("x-oss-security-token")
}

/// The constant strings of the OSS signatures.
enum OSSText {
  static let v4Algorithm: StaticString = "OSS4-HMAC-SHA256"
  static let v4Request: StaticString = "aliyun_v4_request"
  static let unsignedPayload: StaticString = "UNSIGNED-PAYLOAD"
  static let unsignedPayloadField = HTTPField(name: .ossContentSHA256, value: "UNSIGNED-PAYLOAD")
}

/// The limits that OSS sets for signatures.
///
/// Source: Alibaba Cloud, "(Recommended) V4 signatures in presigned URLs",
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/add-signatures-to-urls>, and "Appendix: Signature
/// version 4".
public enum OSSLimits {
  /// The longest lifetime of a V4 URL that is signed with a permanent key, and of a V4 form: seven days.
  public static let urlLifetime = Duration.seconds(604_800)

  /// The longest lifetime of a V4 URL that is signed with a temporary key: twelve hours.
  public static let temporaryURLLifetime = Duration.seconds(43_200)

  /// The largest difference between the time of signing and the present: fifteen minutes.
  public static let clockTolerance = VerificationLimits.clockTolerance

  /// Returns the allowed lifetimes of a V4 URL in seconds.
  static func urlSeconds(isTemporary: Bool) -> ClosedRange<Int64> {
    1...(isTemporary ? temporaryURLLifetime : urlLifetime).components.seconds
  }
}

/// The canonical request of OSS V4: verb, resource, query, headers, names of additional headers, payload hash.
///
/// Source: Alibaba Cloud, "Include a V4 signature in the Authorization header (recommended)",
/// <https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4>.
struct OSSV4Request {
  let resource: OSSResource
  /// The lower-case, sorted names of the headers that are signed although the scheme does not require it.
  let additional: [String]

  /// Calls `body` with a function that appends the canonical request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - fields: The fields from which the signed headers are selected.
  ///   - path: The path with every parameter that is signed.
  ///   - omitting: The name of a query parameter that is left out: the signature itself.
  ///   - refused: The parameters that a request must not have.
  ///   - body: A function that uses the function.
  /// - Throws: A ``SigningError`` if the path cannot be parsed, or a signed header or parameter is repeated.
  func withCanonicalRequest<Result>(
    _ request: HTTPRequest, fields: HTTPFields, path: String, omitting: StaticString? = nil,
    refusing refused: RefusedParameters? = nil,
    _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      try select(from: fields, authority: request.authority, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let path = try cut(wire, omitting: omitting, refusing: refused, into: &parameters)
          return body { writer in
            writer.append(request.method.rawValue)
            writer.append(UInt8(ascii: "\n"))
            writer.append(resource, path: path, of: wire, encoded: true)
            writer.append(UInt8(ascii: "\n"))
            for index in 0..<parameters.count {
              if index > 0 { writer.append(UInt8(ascii: "&")) }
              writer.append(canonical: parameters[index], of: wire, keepsEmptyValue: false)
            }
            writer.append(UInt8(ascii: "\n"))
            for index in 0..<headers.count {
              writer.append(headers[index].name(in: fields))
              writer.append(UInt8(ascii: ":"))
              if headers[index].index == SelectedHeader.host {
                writer.append(request.authority ?? "")
              } else {
                fields.withValue(at: Int(headers[index].index)) { writer.append($0) }
              }
              writer.append(UInt8(ascii: "\n"))
            }
            writer.append(UInt8(ascii: "\n"))
            if !additional.isEmpty {
              var isFirst = true
              for index in 0..<headers.count {
                let name = headers[index].name(in: fields)
                guard isAdditional(name) else { continue }
                if !isFirst { writer.append(UInt8(ascii: ";")) }
                writer.append(name)
                isFirst = false
              }
            }
            writer.append(UInt8(ascii: "\n"))
            if let hash = fields.index(of: .ossContentSHA256) {
              fields.withValue(at: hash) { writer.append($0) }
            } else {
              writer.append(OSSText.unsignedPayload)
            }
          }
        }
      }
    }
  }

  private func select(
    from fields: HTTPFields, authority: String?, into headers: inout ScratchList<SelectedHeader>
  ) throws(SigningError) {
    for index in fields.indices {
      let name = fields[index].name.canonicalName
      withBytes(of: name) { bytes in
        if Self.isSignedByRule(bytes) || isAdditional(name) {
          headers.append(SelectedHeader(name: bytes, index: Int32(index)))
        }
      }
    }
    if authority != nil, isAdditional("host") {
      withBytes(of: "host") { headers.append(SelectedHeader(name: $0, index: SelectedHeader.host)) }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields[repeated].name) }
  }

  /// Returns whether a name is one of the additional headers, by a binary search.
  private func isAdditional(_ name: String) -> Bool {
    var (start, end) = (0, additional.count)
    while start < end {
      let middle = (start + end) / 2
      if additional[middle] < name { start = middle + 1 } else { end = middle }
    }
    return start < additional.count && additional[start].isIdentical(to: name)
  }

  /// Returns whether the header with this lower-case name is always signed.
  ///
  /// Source: "Include a V4 signature in the Authorization header (recommended)", the canonical headers.
  static func isSignedByRule(_ name: Span<UInt8>) -> Bool {
    name.starts(with: "x-oss-")
      || name.count == 12 && name.starts(with: "content-type")
      || name.count == 11 && name.starts(with: "content-md5")
  }

  /// Returns whether the header with this lower-case name is always signed.
  static func isSignedByRule(_ name: String) -> Bool {
    withBytes(of: name) { isSignedByRule($0) }
  }

  private func cut(
    _ wire: Span<UInt8>, omitting: StaticString?, refusing refused: RefusedParameters?,
    into parameters: inout ScratchList<WireParameter>
  ) throws(SigningError) -> WirePath {
    guard let path = WireQuery.cut(wire, into: &parameters) else { throw .unreadablePath }
    if let refused { try refused.check(parameters, of: wire) }
    if let omitting { parameters.keep { !$0.isNamed(omitting, in: wire) } }
    try WireQuery.sortDistinct(&parameters, of: wire, by: .encoded)
    return path
  }
}

/// The source of the bucket of a signed resource.
enum OSSResource: Equatable {
  /// The path starts with the bucket: `/bucket/key`.
  case inPath
  /// The path is only the key; the bucket is known from the host or the signer.
  case bucket(String)
  /// The request is for the service, without a bucket.
  case service
}

extension ByteWriter {
  /// Appends the canonical resource: `/`, `/bucket/` or `/bucket/key`.
  ///
  /// - Parameters:
  ///   - resource: The source of the bucket.
  ///   - path: The path.
  ///   - wire: The bytes that contain the path.
  ///   - encoded: Whether the path is canonically encoded (V4) or decoded (V1).
  mutating func append(_ resource: OSSResource, path: WirePath, of wire: Span<UInt8>, encoded: Bool) {
    if case .bucket(let bucket) = resource {
      append(UInt8(ascii: "/"))
      append(bucket)
    }
    if encoded { append(normalizing: path, of: wire) } else { append(decoding: path, of: wire) }
    if case .inPath = resource, isBucketAlone(wire.extracting(0..<path.end)) { append(UInt8(ascii: "/")) }
  }

  /// Returns whether a path is `/bucket`, without a slash after it.
  ///
  /// A percent-encoded slash counts as well, because the path is split after it is decoded.
  private func isBucketAlone(_ path: Span<UInt8>) -> Bool {
    guard path.count > 1 else { return false }
    for index in 1..<path.count {
      if path[index] == UInt8(ascii: "/") { return false }
      let rest = path.extracting(index...)
      if rest.starts(with: "%2F") || rest.starts(with: "%2f") { return false }
    }
    return true
  }
}

/// The day, region and product that a V4 signing key is derived for.
struct OSSV4Scope {
  let date: Timestamp
  let time: CivilTime
  let region: String
  let product: String

  init(date: Timestamp, region: String, product: String) {
    self.date = date
    time = CivilTime(date)
    self.region = region
    self.product = product
  }

  /// Appends the scope: `20261120/cn-hangzhou/oss/aliyun_v4_request`.
  func append(to writer: inout ByteWriter, separator: StaticString = "/") {
    writer.append(compactDate: time)
    writer.append(separator)
    writer.append(region)
    writer.append(separator)
    writer.append(product)
    writer.append(separator)
    writer.append(OSSText.v4Request)
  }

  /// Appends the string to sign that belongs to the hash of a canonical request.
  func append(stringToSign hash: Digest, to writer: inout ByteWriter) {
    append(stringToSign: hash, dateLine: { $0.append(basicDate: time) }, to: &writer)
  }

  /// Appends the string to sign that belongs to the hash of a canonical request, with a given date line.
  func append(
    stringToSign hash: Digest, dateLine: (inout ByteWriter) -> Void, to writer: inout ByteWriter
  ) {
    writer.append(OSSText.v4Algorithm)
    writer.append(UInt8(ascii: "\n"))
    dateLine(&writer)
    writer.append(UInt8(ascii: "\n"))
    append(to: &writer)
    writer.append(UInt8(ascii: "\n"))
    writer.append(hex: hash)
  }

  /// Returns the signing key, which is derived once a day for an access key.
  func signingKey(of key: AccessKey) -> HMACKey<SHA256> {
    let scope = KeyScope(from: date.dayNumber, to: date.dayNumber, region: region, service: product)
    return key.signingKey(for: scope) { secret in
      let dateKey = HMACKey<SHA256>(writing: {
        $0.append("aliyun_v4")
        $0.append(secret)
      }).derivedKey { $0.append(compactDate: time) }
      let regionKey = dateKey.derivedKey { $0.append(region) }
      let productKey = regionKey.derivedKey { $0.append(product) }
      return productKey.derivedKey { $0.append(OSSText.v4Request) }
    }
  }
}
