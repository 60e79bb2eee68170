internal import HTTPTypes
internal import StorageAuth

/// A request as it was sent, with what its signature covers.
struct SentRequest {
  let request: HTTPRequest
  let reader: any SignatureReader

  /// What the request says about its signature, where that can be read.
  private(set) var reading: SignatureReading?

  /// Why it cannot be read.
  private(set) var problem: VerificationError?

  /// What the signature covers, taken apart.
  private(set) var parts: SignedParts?

  /// The same as it stands, for differences that no part shows.
  private(set) var texts: SignedTexts?

  /// The session tokens in the request.
  let tokens: [Secret]

  init(_ request: HTTPRequest, _ reader: any SignatureReader, stringToSign: String?, canonicalRequest: String?) {
    self.request = request
    self.reader = reader
    tokens = Self.tokens(of: request)
    do throws(VerificationError) {
      reading = try reader.signature(of: request)
      texts = reading?.texts
    } catch {
      problem = error
    }
    if stringToSign != nil || canonicalRequest != nil {
      texts = SignedTexts(
        stringToSign: stringToSign ?? texts?.stringToSign ?? "",
        canonicalRequest: canonicalRequest ?? texts?.canonicalRequest)
    }
    parts = texts.flatMap { signedParts($0.stringToSign, $0.canonicalRequest) }
  }

  private static func tokens(of request: HTTPRequest) -> [Secret] {
    var tokens = request.headerFields.filter { SecretName.isToken($0.name.canonicalName) }.map(\.value)
    for item in (request.path ?? "").cutOnce(at: "?").behind?.cut(at: "&") ?? [] {
      let (name, value) = item.cutOnce(at: "=")
      if let value, SecretName.isToken(name.unescaped ?? name) { tokens += [value.unescaped ?? value] }
    }
    return tokens.filter { !$0.isEmpty }.map { Secret($0) }
  }

  /// Takes texts apart in the form that they have.
  func signedParts(_ stringToSign: String?, _ canonicalRequest: String?) -> SignedParts? {
    let canonical = canonicalRequest.flatMap { reader.parts(ofCanonicalRequest: $0, for: request) }
    let signed = stringToSign.flatMap { reader.parts(ofStringToSign: $0, for: request) }
    guard var result = canonical else { return signed }
    if let signed { result.add(signed) }
    return result
  }

  /// What the signature covers, as far as an answer shows the same of its own.
  func parts(showing answer: RefusedAnswer.Reading) -> SignedParts? {
    signedParts(
      answer.stringToSign == nil ? nil : texts?.stringToSign,
      answer.canonicalRequest == nil ? nil : texts?.canonicalRequest)
  }

  /// Whether a session token came along where the service looks for one.
  var hasToken: Bool { reading?.hasToken ?? !tokens.isEmpty }

  /// Whether a query parameter is in the URL as it was sent.
  func hasParameter(_ name: String) -> Bool { parameterNames.contains(name) }

  /// Whether there is a signature in the headers and one in the URL.
  var isSignedTwice: Bool {
    request.headerFields.contains(.authorization) && reader.signatureParameters.contains(where: hasParameter)
  }

  private var parameterNames: [String] { request.parameterNames }
}

extension HTTPRequest {
  /// The names of the parameters in the URL, decoded.
  var parameterNames: [String] {
    ((path ?? "").cutOnce(at: "?").behind ?? "").cut(at: "&").filter { !$0.isEmpty }.map {
      let written = $0.cutOnce(at: "=").before
      return written.unescaped ?? written
    }
  }

  /// The path without its query, decoded; `nil` if an escape is broken.
  var decodedPath: String? { (path ?? "").cutOnce(at: "?").before.unescaped }
}
