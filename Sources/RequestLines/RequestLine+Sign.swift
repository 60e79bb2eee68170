internal import COSAuth
internal import HTTPTypes
internal import OSSAuth
package import StorageAuth
internal import StorageCrypto

extension RequestLine {
  /// What a line without a mode asks for.
  package enum Mode: String, Sendable {
    /// A signature in the headers.
    case header
    /// A signature in the URL.
    case presign
  }

  /// Signs the request of the line.
  ///
  /// - Parameters:
  ///   - defaultMode: What a line without a mode asks for.
  ///   - now: The time of signing for a line without a date.
  /// - Returns: The answer; a request that cannot be signed is answered with its error.
  package func signed(defaultMode: Mode, now: Timestamp) -> SignedLine {
    do {
      var answer = try sign(defaultMode: defaultMode, now: now)
      answer.id = id
      return answer
    } catch {
      return SignedLine(id: id, error: "\(error)")
    }
  }

  private func sign(defaultMode: Mode, now: Timestamp) throws -> SignedLine {
    let text = mode ?? kind ?? defaultMode.rawValue
    guard let mode = Mode(rawValue: text) else {
      throw RequestLineError(message: "\"\(text)\" is not a mode that is signed here; use header or presign.")
    }
    guard let credential else { throw RequestLineError(message: "The line has no credential.") }
    let key = AccessKey(id: credential.id, secret: credential.secret, sessionToken: credential.token ?? tokenHeader)
    let context = SigningContext(date: date.map { Timestamp(unixSeconds: $0) } ?? now)
    switch try providerName {
    case "cos": return try signCOS(mode, key, context)
    default: return try signOSS(mode, key, context)
    }
  }

  /// A session token that the line gives as a header; signing sets that header anew.
  private var tokenHeader: String? {
    headers?.first { ["x-oss-security-token", "x-cos-security-token"].contains($0.name.lowercased()) }?.value
  }

  private var providerName: String {
    get throws {
      let name = provider ?? (keyTime != nil || kind != nil ? "cos" : "oss")
      guard name == "oss" || name == "cos" else {
        throw RequestLineError(message: "\"\(name)\" is not a provider; use oss or cos.")
      }
      return name
    }
  }

  private func signOSS(_ mode: Mode, _ key: AccessKey, _ context: SigningContext) throws -> SignedLine {
    guard let version = OSSSignatureVersion(rawValue: version ?? "v4") else {
      throw RequestLineError(message: "\"\(version ?? "")\" is not a version of the OSS signature; use v4 or v1.")
    }
    let bucket = bucket.flatMap { $0.isEmpty ? nil : $0 }
    let region = region ?? ""
    let service = "oss-\(region.isEmpty ? "cn-hangzhou" : region).aliyuncs.com"
    let authority = host ?? (bucket.map { "\($0).\(service)" } ?? service)
    let signer = OSSSigner(
      version, bucket: bucket, region: region, product: product ?? "oss",
      additionalHeaders: Set(additionalHeaders ?? []), additionalSubresources: Set(subResource ?? []),
      allowsAmbiguousV1: allowsAmbiguousV1 ?? false)
    return try sign(
      request(authority: authority, key: self.key ?? ""), with: signer, mode, key, context)
  }

  private func signCOS(_ mode: Mode, _ key: AccessKey, _ context: SigningContext) throws -> SignedLine {
    guard let host else { throw RequestLineError(message: "The line has no host.") }
    guard host != Self.placeholder || signedHeaders?.signHost != false else {
      var answer = try signCOS(mode, key, context, host: "host.invalid")
      answer.url = answer.url?.replacing("host.invalid", with: Self.placeholder)
      return answer
    }
    return try signCOS(mode, key, context, host: host)
  }

  /// What a line may have for a host that is not signed; it comes back in the URL.
  private static let placeholder = "{host}"

  private func signCOS(
    _ mode: Mode, _ key: AccessKey, _ context: SigningContext, host: String
  ) throws -> SignedLine {
    var policy = COSHeaderPolicy.standard
    if let names = signedHeaders?.list {
      policy = .only(Set(names))
    } else if signedHeaders?.signHost == false {
      policy = .standardWithoutHost
    }
    let signer = COSSigner(policy: policy, urlForm: form == "sign=" ? .sign : .parameters)
    let name = path ?? ""
    let request = try request(authority: host, key: name.first == "/" ? String(name.dropFirst()) : name)
    guard let keyTime else { return try sign(request, with: signer, mode, key, context) }
    guard let window = COSKeyTime(keyTime) else {
      throw RequestLineError(message: "The key time is not two numbers of seconds with a semicolon between them.")
    }
    let identity = Identity(id: key.id, sessionToken: key.sessionToken, start: window.start, expiration: window.end)
    switch mode {
    case .header:
      var signed = request
      try signer.sign(&signed, with: key, during: window)
      return SignedLine(signed, try signer.prepare(request, as: identity, in: context))
    case .presign:
      let signed = try signer.presign(request, with: key, during: window)
      let pending = try signer.prepare(
        presigning: request, as: identity, validFor: window.start.duration(to: window.end), in: .at(window.start))
      return SignedLine(signed, pending)
    }
  }

  private func sign(
    _ request: HTTPRequest, with signer: some SplitSigner<AccessKey> & Presigner<AccessKey>, _ mode: Mode,
    _ key: AccessKey, _ context: SigningContext
  ) throws -> SignedLine {
    switch mode {
    case .header:
      let signed = try signer.signed(request, with: key, in: context)
      return SignedLine(signed, try signer.prepare(request, as: key.identity, in: context))
    case .presign:
      let duration = Duration.seconds(expires ?? 3600)
      let signed = try signer.presign(request, with: key, validFor: duration, in: context)
      let pending = try signer.prepare(presigning: request, as: key.identity, validFor: duration, in: context)
      return SignedLine(signed, pending)
    }
  }

  /// The request, with a Host header as its authority and everything encoded once.
  private func request(authority: String, key: String) throws -> HTTPRequest {
    guard let method = HTTPRequest.Method(method ?? "GET") else {
      throw RequestLineError(message: "The method is not a token.")
    }
    var request = HTTPRequest(method: method, scheme: "https", authority: authority, path: path(for: key))
    for header in headers ?? [] {
      let value = header.value ?? ""
      guard let name = HTTPField.Name(header.name), HTTPField.isValidValue(value.trimmingBlanks) else {
        throw SigningError(
          .invalidHeader, "A header's name is not a token, or its value holds a line break or a control character.",
          remedy: "Take it out.")
      }
      if name.canonicalName == "host" {
        request.authority = value
      } else {
        request.headerFields.append(HTTPField(name: name, value: value))
      }
    }
    return request
  }

  private func path(for key: String) -> String {
    let items = (query ?? []).map { pair in
      let name = pair.name.percentEncoded()
      return pair.value.map { $0.isEmpty ? name : "\(name)=\($0.percentEncoded())" } ?? name
    }
    let path = "/" + key.percentEncoded(.path)
    return items.isEmpty ? path : path + "?" + items.joined(separator: "&")
  }
}

extension SignedLine {
  /// Answers a line, whatever is in it.
  ///
  /// - Parameters:
  ///   - json: The line.
  ///   - defaultMode: What a line without a mode asks for.
  ///   - now: The time of signing for a line without a date.
  package init(answering json: String, defaultMode: RequestLine.Mode, now: Timestamp) {
    do throws(RequestLineError) {
      self = try RequestLine(json: json).signed(defaultMode: defaultMode, now: now)
    } catch {
      self.init(id: error.id, error: error.description)
    }
  }

  fileprivate init(_ signed: HTTPRequest, _ pending: PendingSignature) {
    self.init(
      stringToSign: pending.stringToSign, canonicalRequest: pending.canonicalRequest,
      authorization: signed.headerFields[.authorization],
      url: "\(signed.scheme ?? "https")://\(signed.authority ?? "")\(signed.path ?? "/")")
  }

  fileprivate init(_ signed: PresignedRequest, _ pending: PendingSignature) {
    self.init(
      stringToSign: pending.stringToSign, canonicalRequest: pending.canonicalRequest, url: signed.url)
  }
}

extension String {
  /// The text without blanks at its ends, which do not travel.
  fileprivate var trimmingBlanks: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
