public import HTTPTypes
public import StorageAuth

/// Signs requests to Huawei Cloud OBS: in headers, in URLs, and in two halves for a key that is kept elsewhere.
///
/// ```swift
/// let signer = OBSSigner()
/// try signer.sign(&request, with: key, in: .now)
/// let link = try signer.presign(request, with: key, validFor: .seconds(1800), in: .now)
/// ```
public struct OBSSigner: SplitSigner, Presigner {
  /// What is signed.
  public typealias Request = HTTPRequest
  /// What it is signed with.
  public typealias SigningCredential = AccessKey

  /// Where the name of the bucket is; `nil` if the host decides.
  public let style: AddressingStyle?

  let subresources: OBSSubresources

  /// Creates a signer.
  ///
  /// - Parameters:
  ///   - style: Where the name of the bucket is. If not given: before `obs.region.myhuaweicloud.com`, in the path of such a
  ///     host, of an IP address and of `localhost`; every other host is a custom domain, whose name is signed itself.
  ///   - additionalSubresources: Names of query parameters that the service signs and that its documentation lacks.
  public init(style: AddressingStyle? = nil, additionalSubresources: Set<String> = []) {
    self.style = style
    subresources = OBSSubresources(adding: additionalSubresources)
  }

  /// Returns until when a key has to be valid so that a request signed at `date` is accepted: two seconds on, for the way
  /// to the service.
  public func requiredValidity(from date: Timestamp) -> Timestamp { date.advanced(by: .seconds(2)) }

  /// Signs a request in its headers.
  ///
  /// Sets `Date`, unless there is an `x-obs-date`, `x-obs-security-token` for a temporary key, and `Authorization`.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - key: The key; `AccessKey.anonymous` leaves the request as it is.
  ///   - context: The time of the act.
  /// - Throws: A `SigningError`; the request is untouched then.
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
    .anonymous, "An anonymous credential cannot sign what is handed on.",
    remedy: "Use the URL without a signature, or a key that has the right.")
}

/// A request that lacks nothing but its signature.
struct OBSDraft {
  var request: HTTPRequest
  let stringToSign: String
}

extension OBSSigner {
  /// Makes everything of a header signature but the signature.
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
          .invalidHeader, "The header x-obs-date is not a date as HTTP writes it.",
          remedy: "Write it like Fri, 20 Nov 2026 08:00:00 GMT, or leave it out: the signer sets Date.")
      }
    } else {
      dateLine = date.httpDate
      request.headerFields[.date] = dateLine
    }
    let text = try OBSStringToSign(address: address, subresources: subresources).text(of: request, date: dateLine)
    return OBSDraft(request: request, stringToSign: text)
  }

  /// Reads what a request is about.
  func address(of request: HTTPRequest) throws(SigningError) -> OBSAddress {
    do throws(VerificationError) {
      return try OBSAddress(of: request, style: style)
    } catch {
      throw SigningError(error)
    }
  }

  /// Refuses a request that carries a signature in its URL, or what belongs to one; the names are in lower case.
  func refuse(_ names: Set<WireText>, in address: OBSAddress) throws(SigningError) {
    for parameter in address.target.parameters where names.contains(parameter.name.asciiLowercased) {
      throw SigningError(
        .invalidPath, "The URL carries a signature, or what belongs to one, already.",
        remedy: "Sign the URL without those parameters; they are added.")
    }
  }
}

/// Base64 with padding (RFC 4648, part 4).
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
