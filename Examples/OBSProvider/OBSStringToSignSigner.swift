// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StorageAuth

/// A signer for strings to sign from clients that hold no key, which parses each string before it signs the string.
///
/// The signer is the server's half of remote signing.
///
/// ```swift
/// let answer = try OBSStringToSignSigner().sign(order, with: key, under: SigningRules(policy), at: .now)
/// ```
public struct OBSStringToSignSigner: StringToSignSigner {
  private let subresources = OBSSubresources()

  /// The maximum number of parameters in a string to sign, because each `&` doubles the number of possible
  /// interpretations.
  private static let parameterLimit = 8

  /// The short name of the service, `obs`.
  public var service: String { SignatureScheme.obs.service }

  /// Creates a string signer for OBS.
  public init() {}

  /// Parses the request that a signature would authorize.
  ///
  /// - Parameter order: The signing request from a client, with the string to sign.
  /// - Returns: The only request that the string stands for, and the other targets that its signature would authorize.
  /// - Throws: A `SigningRefusal` if the string is not, byte for byte, the string to sign of a request.
  public func intent(of order: SigningRequest) throws(SigningRefusal) -> AuthorizedRequest {
    guard order.scheme == .obs, order.canonicalRequest == nil else {
      throw .malformed("This signer does not support the scheme, or there is a canonical request.")
    }
    var lines = order.stringToSign.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }[...]
    guard lines.count >= 5, lines[0] == order.method,
      let method = [.get, .head, .put, .post, .delete].first(where: { (method: HTTPRequest.Method) in
        ByteExactString(method.rawValue) == ByteExactString(order.method)
      })
    else { throw .malformed("The text has too few lines, or another method.") }
    var fields = HTTPFields()
    if !lines[1].isEmpty { try Self.append(OBSField.contentMD5, lines[1], to: &fields) }
    if !lines[2].isEmpty { try Self.append(.contentType, lines[2], to: &fields) }
    let dateLine = lines[3]
    lines = lines.dropFirst(4)
    while let line = lines.first, ByteExactString(line).starts(with: ByteExactString(OBSName.prefix)) {
      let pair = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, let name = HTTPField.Name(String(Substring(pair[0]))) else {
        throw .malformed("A line that should be a header cannot be one.")
      }
      try Self.append(name, String(Substring(pair[1])), to: &fields)
      lines = lines.dropFirst()
    }
    var readings = try readings(ofResource: lines.joined(separator: "\n"))
    let plain = readings.removeFirst()
    let request = HTTPRequest(method: method, scheme: nil, authority: nil, path: nil, headerFields: fields)
    let text: String
    do throws(SigningError) {
      text = try OBSStringToSign(address: OBSAddress(plain), subresources: subresources)
        .text(of: request, date: dateLine)
    } catch {
      throw .notCanonical
    }
    guard ByteExactString(text) == ByteExactString(order.stringToSign) else { throw .notCanonical }
    return try intent(of: method, plain, others: readings, fields, dateLine)
  }

  /// Returns the signature of a string to sign that the rules allow.
  ///
  /// `StringToSignSigner` calls this method after its checks.
  ///
  /// - Parameters:
  ///   - order: The signing request from a client, with the string to sign.
  ///   - intent: The result of ``intent(of:)`` for the signing request.
  ///   - key: The key that signs.
  ///   - date: The current time.
  /// - Returns: The signature in Base64.
  /// - Throws: No error. Other string signers throw a `SigningRefusal`.
  public func signature(
    of order: SigningRequest, _ intent: AuthorizedRequest, with key: AccessKey, at date: Timestamp
  ) throws(SigningRefusal) -> String {
    key.authenticationCode(for: order.stringToSign, using: .hmacSHA1).base64
  }

  private static func append(
    _ name: HTTPField.Name, _ value: String, to fields: inout HTTPFields
  ) throws(SigningRefusal) {
    guard HTTPField.isValidValue(value) else { throw .malformed("A line that should be a header cannot be one.") }
    fields.append(HTTPField(name: name, value: value))
  }

  private func intent(
    of method: HTTPRequest.Method, _ target: RequestTarget, others: [RequestTarget], _ fields: HTTPFields,
    _ dateLine: String
  ) throws(SigningRefusal) -> AuthorizedRequest {
    let urlToken = target[OBSName.token].map { Secret($0.string) }
    let own = others.filter { $0[OBSName.token] == target[OBSName.token] }.compactMap { Self.usable($0, by: method) }
    func intent(
      _ placement: VerifiedRequest.Placement, date: Timestamp?, expiration: Timestamp?, token: Secret?
    ) -> AuthorizedRequest {
      AuthorizedRequest(
        .obs, method: method, target: Self.withoutToken(target), headers: fields, placement: placement, date: date,
        expiration: expiration, accessKeyID: nil, sessionToken: token, signableNames: .obs, otherTargets: own)
    }
    if let seconds = Int64(dateLine), "\(seconds)" == dateLine, (0..<1_000_000_000_000).contains(seconds) {
      guard fields[OBSField.date] == nil, fields[OBSField.token] == nil else {
        throw .malformed("The string is for a URL and has headers that only a header signature has.")
      }
      return intent(.query, date: nil, expiration: Timestamp(unixSeconds: seconds), token: urlToken)
    }
    let line = fields[OBSField.date] ?? dateLine
    guard let date = Timestamp(httpDate: line), date.httpDate == line, dateLine.isEmpty || line == dateLine,
      dateLine.isEmpty == fields.contains(OBSField.date), urlToken == nil
    else {
      throw .malformed("There is no HTTP date, there are two, or the session token is in the URL.")
    }
    return intent(.header, date: date, expiration: nil, token: fields[OBSField.token].map { Secret($0) })
  }

  /// Returns the target that the service would act on, or `nil` if the service would not perform an operation.
  ///
  /// A part number that is not a number counts as absent, and a `POST` request to an object without parameters is no
  /// operation.
  private static func usable(_ target: RequestTarget, by method: HTTPRequest.Method) -> RequestTarget? {
    let parameters = withoutToken(target).parameters.filter { parameter in
      parameter.name != "partNumber" || parameter.value.flatMap { Int($0.string) } != nil
    }
    if method == .post, target.key != nil, parameters.isEmpty { return nil }
    return RequestTarget(bucket: target.bucket?.string, key: target.key?.string, parameters: parameters)
  }

  private static func withoutToken(_ target: RequestTarget) -> RequestTarget {
    RequestTarget(
      bucket: target.bucket?.string, key: target.key?.string,
      parameters: target.parameters.filter { $0.name != OBSName.token })
  }

  /// Returns every target that the resource in a string to sign stands for, with the plain interpretation first.
  ///
  /// In the plain interpretation, a parameter ends at each `&` before a signed name. The bucket and the key are encoded
  /// in the resource, so that only the values of parameters can be parsed in several ways.
  private func readings(ofResource resource: String) throws(SigningRefusal) -> [RequestTarget] {
    let parts = resource.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: parts.first)
    let place: RequestTarget
    do throws(VerificationError) {
      place = try RequestTarget(of: request, style: .path)
    } catch {
      throw .malformed("The resource is not a path.")
    }
    let lists = parts.count < 2 ? [[]] : try parameterLists(of: parts[1])
    return lists.map { RequestTarget(bucket: place.bucket?.string, key: place.key?.string, parameters: $0) }
  }

  private func parameterLists(of text: String) throws(SigningRefusal) -> [[RequestTarget.Parameter]] {
    var pieces: [String] = []
    for piece in text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let piece = String(Substring(piece))
      let name = piece.utf8.prefix { $0 != UInt8(ascii: "=") }
      if let last = pieces.last, !subresources.contains(ByteExactString(Substring(name))) {
        pieces[pieces.count - 1] = "\(last)&\(piece)"
      } else {
        pieces.append(piece)
      }
    }
    guard pieces.count <= Self.parameterLimit else { throw .malformed("The resource has too many parameters.") }
    var lists = [[pieces[0]]]
    for piece in pieces.dropFirst() {
      lists =
        lists.map { $0 + [piece] }
        + lists.compactMap { list in
          // Only a value can continue after an `&`, because names are encoded.
          guard let last = list.last, last.utf8.contains(UInt8(ascii: "=")) else { return nil }
          return list.dropLast() + ["\(last)&\(piece)"]
        }
    }
    return try lists.map { (list) throws(SigningRefusal) in
      try list.map { (piece) throws(SigningRefusal) in try Self.parameter(piece) }
    }
  }

  private static func parameter(_ text: String) throws(SigningRefusal) -> RequestTarget.Parameter {
    let pair = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    let request = HTTPRequest(method: .get, scheme: nil, authority: "localhost", path: "/?\(pair[0])")
    do throws(VerificationError) {
      let name = try RequestTarget(of: request, style: .path).parameters.first?.name.string ?? ""
      return RequestTarget.Parameter(name: name, value: pair.count > 1 ? pair[1] : nil)
    } catch {
      throw .malformed("The name of a parameter is not encoded.")
    }
  }
}

extension SignableNames {
  /// The headers and parameters of OBS requests that do not change the operation.
  static let obs = SignableNames(
    headerPrefix: OBSName.prefix,
    harmlessHeaders: ["date", "content-sha256", "security-token", "storage-class", "server-side-encryption"])
}
