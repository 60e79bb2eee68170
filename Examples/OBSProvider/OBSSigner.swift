// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A signer for requests to Huawei Cloud OBS, which adds signatures to headers or to URLs.
///
/// For a key that another party holds, the signer prepares strings to sign and completes requests with the signatures.
///
/// ```swift
/// let signer = OBSSigner()
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
public struct OBSSigner: TwoStepSigner, Presigner {
  /// The type of the requests that the signer signs.
  public typealias Request = HTTPRequest
  /// The type of the credentials that the signer signs with.
  public typealias SigningCredential = AccessKey

  /// The position of the bucket name in request URLs, or `nil` to derive it from the host.
  public let style: AddressingStyle?

  let subresources: OBSSubresources

  /// Creates a signer for OBS requests.
  ///
  /// - Parameters:
  ///   - style: The position of the bucket name in request URLs. If `nil`, it is derived from the host: before
  ///     `obs.region.myhuaweicloud.com`, and in the path for such a host without a bucket, for an IP address and for
  ///     `localhost`. Every other host is a custom domain, whose name is itself signed.
  ///   - additionalSubresources: The names of query parameters that the service signs and its documentation omits.
  public init(style: AddressingStyle? = nil, additionalSubresources: Set<String> = []) {
    self.style = style
    subresources = OBSSubresources(adding: additionalSubresources)
  }

  /// Signs a request by adding the signature to its headers.
  ///
  /// This method sets `Authorization`, `Date` if the request has no `x-obs-date`, and `x-obs-security-token` for a
  /// temporary key.
  ///
  /// - Parameters:
  ///   - request: The request to sign.
  ///   - key: The access key that signs. With `AccessKey.anonymous`, the request is left unchanged.
  ///   - context: The signing time.
  /// - Throws: A `SigningError` if the key or the request is invalid. The request is unchanged in this case.
  public func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check()
    var draft = try draft(of: request, as: key.identity, at: context.date)
    let code = key.authenticationCode(for: draft.stringToSign, using: .hmacSHA1)
    draft.request.headerFields[.authorization] = Self.authorizationPrefix(key.id) + code.base64
    request = draft.request
  }

  static func authorizationPrefix(_ id: AccessKeyID) -> String { "OBS \(id.string):" }

  static let anonymous = SigningError(
    .anonymous, "An anonymous credential cannot sign a URL or a form.",
    remedy: "Use the URL without a signature, or a key that has the right.")
}

/// A request that is complete except for its signature, with the string to sign.
struct OBSDraft {
  var request: HTTPRequest
  let stringToSign: String
}

extension OBSSigner {
  /// Returns a request with all signed headers except the signature, and its string to sign.
  func draft(of original: HTTPRequest, as identity: Identity, at date: Timestamp) throws(SigningError) -> OBSDraft {
    let address = try address(of: original)
    try refuse(OBSName.authorization.union([OBSName.token]), in: address)
    var request = original
    request.headerFields[.authorization] = nil
    request.headerFields[OBSField.token] = identity.sessionToken?.reveal()
    var dateLine = ""
    if let chosen = request.headerFields[OBSField.date] {
      guard Timestamp(httpDate: chosen) != nil else {
        throw SigningError(
          .invalidHeader, "The header x-obs-date is not an HTTP date.",
          remedy: "Write it like Fri, 20 Nov 2026 08:00:00 GMT, or leave it out: the signer sets Date.")
      }
    } else {
      dateLine = date.httpDate
      request.headerFields[.date] = dateLine
    }
    let text = try OBSStringToSign(address: address, subresources: subresources).text(of: request, date: dateLine)
    return OBSDraft(request: request, stringToSign: text)
  }

  /// Parses the bucket, the key and the parameters that a request addresses.
  func address(of request: HTTPRequest) throws(SigningError) -> OBSAddress {
    do throws(VerificationError) {
      return try OBSAddress(of: request, style: style)
    } catch {
      throw SigningError(error)
    }
  }

  /// Throws an error if the URL has a parameter with one of the given lowercase names, which contain a signature.
  func refuse(_ names: Set<ByteExactString>, in address: OBSAddress) throws(SigningError) {
    for parameter in address.target.parameters where names.contains(parameter.name.asciiLowercased) {
      throw SigningError(
        .invalidPath, "The URL already carries a parameter of a signature.",
        remedy: "Sign the URL without those parameters; they are added.")
    }
  }
}

/// A namespace for Base64 encoding with padding (RFC 4648, section 4).
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encoded(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        let digit = Self.digits[Int(bits >> UInt32(18 - 6 * index) & 63)]
        result.append(index <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
