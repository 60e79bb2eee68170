internal import COSAuth
internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth

/// A request as it was sent, with what its signature covers.
struct SentRequest {
  let request: HTTPRequest
  let service: SignedService

  /// What the request says about its signature, where that can be read.
  private(set) var claim: Claim?

  /// Why the claim cannot be read.
  private(set) var problem: VerificationError?

  /// What the signature covers, taken apart.
  private(set) var text: SignedText?

  /// The same as it stands, for differences that no part shows.
  private(set) var texts: SignedTexts?

  /// The session tokens in the request.
  let tokens: [Secret]

  enum Claim {
    case oss(OSSClaim)
    case cos(COSClaim)
  }

  init(_ request: HTTPRequest, _ service: SignedService, stringToSign: String?, canonicalRequest: String?) {
    self.request = request
    self.service = service
    tokens = Self.tokens(of: request)
    do throws(VerificationError) {
      if let (claim, texts) = try Self.read(request, service) {
        self.claim = claim
        self.texts = texts
      }
    } catch {
      problem = error
    }
    if stringToSign != nil || canonicalRequest != nil {
      texts = SignedTexts(
        stringToSign: stringToSign ?? texts?.stringToSign ?? "",
        canonicalRequest: canonicalRequest ?? texts?.canonicalRequest)
    }
    text = texts.flatMap { signedText($0.stringToSign, $0.canonicalRequest) }
  }

  private static func read(
    _ request: HTTPRequest, _ service: SignedService
  ) throws(VerificationError) -> (Claim, SignedTexts)? {
    do {
      switch service.provider {
      case .oss:
        let verifier = OSSVerifier(style: ossStyle(of: request, service), bucket: service.bucket)
        guard let claim = try verifier.claim(in: request) else { return nil }
        return (.oss(claim), try verifier.texts(of: claim, in: request))
      case .cos:
        let verifier = COSVerifier(style: service.style)
        guard let claim = try verifier.claim(in: request) else { return nil }
        return (.cos(claim), try verifier.texts(of: claim, in: request))
      }
    } catch let error as SigningError {
      throw VerificationError(error)
    } catch let error as VerificationError {
      throw error
    } catch {
      return nil
    }
  }

  /// The style in which the signer read the address: a bucket that it was told counts more than one in the host.
  private static func ossStyle(of request: HTTPRequest, _ service: SignedService) -> AddressingStyle? {
    let authority = request.authority ?? ""
    guard service.bucket != nil, (service.style ?? AddressingStyle(authority: authority)) != .path else {
      return service.style
    }
    return isServiceHost(authority) && isOSSHost(authority) ? service.style : .customDomain
  }

  private static func tokens(of request: HTTPRequest) -> [Secret] {
    var tokens = request.headerFields.filter { SecretName.isToken($0.name.canonicalName) }.map(\.value)
    for item in (request.path ?? "").cutOnce(at: "?").behind?.cut(at: "&") ?? [] {
      let (name, value) = item.cutOnce(at: "=")
      if let value, SecretName.isToken(name.unescaped ?? name) { tokens += [value.unescaped ?? value] }
    }
    return tokens.filter { !$0.isEmpty }.map { Secret($0) }
  }

  /// Takes a text apart in the form that it has.
  func signedText(_ stringToSign: String?, _ canonicalRequest: String?) -> SignedText? {
    let path = (request.path ?? "").cutOnce(at: "?").before.unescaped
    var result: SignedText?
    func add(_ text: SignedText?) {
      guard let text else { return }
      if result == nil { result = text } else { result?.add(text) }
    }
    if let canonicalRequest {
      switch service.provider {
      case .oss: add(SignedText(v4CanonicalRequest: canonicalRequest))
      case .cos: add(SignedText(cosFormatString: canonicalRequest, path: path))
      }
    }
    if let stringToSign {
      switch service.provider {
      case .oss: add(SignedText(v4StringToSign: stringToSign) ?? v1Text(stringToSign, path: path))
      case .cos: add(SignedText(cosStringToSign: stringToSign))
      }
    }
    return result
  }

  /// What the signature covers, as far as an answer shows the same of its own.
  func text(showing answer: RefusedAnswer) -> SignedText? {
    signedText(
      answer.stringToSign == nil ? nil : texts?.stringToSign,
      answer.canonicalRequest == nil ? nil : texts?.canonicalRequest)
  }

  private func v1Text(_ text: String, path: String?) -> SignedText? {
    text.hasPrefix("OSS4-") ? nil : SignedText(ossV1: text, path: path)
  }
}
