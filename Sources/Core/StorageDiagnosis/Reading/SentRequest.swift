// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// A request as the client sent it, with the strings that its signature covers.
struct SentRequest {
  let request: HTTPRequest
  let reader: any SignatureReader
  /// The unverified statements of the request about its signature, or `nil` without a signature that can be parsed.
  private(set) var claim: SignatureReading?
  /// The reason why the request's signature cannot be parsed, or `nil` if it can be parsed or is missing.
  private(set) var parsingError: VerificationError?
  /// The parts of the strings that the signature covers, or `nil` if they are unknown.
  private(set) var signedParts: SignedParts?
  /// The string to sign and the canonical request, for differences that no part shows.
  private(set) var signedTexts: SignedTexts?
  /// The session tokens in headers and query parameters, to be masked and compared.
  let tokens: [Secret]

  init(_ request: HTTPRequest, _ reader: any SignatureReader, stringToSign: String?, canonicalRequest: String?) {
    self.request = request
    self.reader = reader
    tokens = Self.tokens(of: request)
    do throws(VerificationError) {
      claim = try reader.signature(of: request)
      signedTexts = claim?.texts
    } catch { parsingError = error }
    if stringToSign != nil || canonicalRequest != nil {
      signedTexts = SignedTexts(
        stringToSign: stringToSign ?? signedTexts?.stringToSign ?? "",
        canonicalRequest: canonicalRequest ?? signedTexts?.canonicalRequest)
    }
    signedParts = signedTexts.flatMap { parts(ofStringToSign: $0.stringToSign, canonicalRequest: $0.canonicalRequest) }
  }

  /// Returns the session tokens of a request, wherever it contains them.
  static func tokens(of request: HTTPRequest) -> [Secret] {
    var tokens = request.headerFields.filter { SecretName.isToken($0.name.canonicalName) }.map(\.value)
    for item in (request.path ?? "").splitOnce(at: "?").after?.split(at: "&") ?? [] {
      let (name, value) = item.splitOnce(at: "=")
      guard let value, SecretName.isToken(name.percentDecoded() ?? name) else { continue }
      tokens.append(value.percentDecoded() ?? value)
    }
    // An empty token would be found, and masked, between any two characters.
    return tokens.filter { !$0.isEmpty }.map { Secret($0) }
  }

  /// Returns the parts of a string to sign and a canonical request together, or `nil` if neither can be parsed.
  func parts(ofStringToSign stringToSign: String?, canonicalRequest: String?) -> SignedParts? {
    let canonicalParts = canonicalRequest.flatMap { reader.parts(ofCanonicalRequest: $0, for: request) }
    let stringParts = stringToSign.flatMap { reader.parts(ofStringToSign: $0, for: request) }
    guard var parts = canonicalParts else { return stringParts }
    if let stringParts { parts.add(contentsOf: stringParts) }
    return parts
  }

  /// Returns the parts of the client's strings whose counterparts the service's response shows.
  func parts(showing rejection: RejectedResponse.Reading) -> SignedParts? {
    parts(
      ofStringToSign: rejection.stringToSign == nil ? nil : signedTexts?.stringToSign,
      canonicalRequest: rejection.canonicalRequest == nil ? nil : signedTexts?.canonicalRequest)
  }

  /// Whether the request contains a session token at a position where the service reads it.
  var hasToken: Bool { claim?.hasToken ?? !tokens.isEmpty }
  func hasParameter(_ name: String) -> Bool { request.parameterNames.contains(name) }

  var isSignedTwice: Bool {
    request.headerFields.contains(.authorization) && reader.signatureParameters.contains(where: hasParameter)
  }
}

extension HTTPRequest {
  /// The decoded names of the query parameters; a name that cannot be decoded is unchanged.
  package var parameterNames: [String] {
    ((path ?? "").splitOnce(at: "?").after ?? "").split(at: "&").filter { !$0.isEmpty }.map {
      let name = $0.splitOnce(at: "=").before
      return name.percentDecoded() ?? name
    }
  }

  package var decodedPath: String? { (path ?? "").splitOnce(at: "?").before.percentDecoded() }
}

extension String {
  /// The lines of the string, including empty ones; only a line feed ends a line.
  package var lines: [String] { split(at: "\n") }
  /// Returns the strings between the occurrences of an ASCII character, including empty ones.
  package func split(at mark: Unicode.Scalar) -> [String] { parts(between: mark).map { String($0) } }

  /// Returns the strings before and after the first occurrence of an ASCII character; without one, the second is `nil`.
  package func splitOnce(at mark: Unicode.Scalar) -> (before: String, after: String?) {
    let parts = parts(between: mark, maxSplits: 1).map(String.init)
    return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
  }

  package func occurrences(of mark: Unicode.Scalar) -> Int {
    utf8.reduce(0) { $0 + ($1 == UInt8(ascii: mark) ? 1 : 0) }
  }
}
