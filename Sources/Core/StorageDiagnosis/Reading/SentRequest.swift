// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// A request as the client sent it, with the strings that its signature covers.
struct SentRequest {
  let request: HTTPRequest
  let reader: any SignatureReader

  /// The unverified statements of the request about its signature, or `nil` if they cannot be parsed.
  private(set) var reading: SignatureReading?

  /// The reason why the request's signature cannot be parsed, or `nil` if it can.
  private(set) var problem: VerificationError?

  /// The parts of the strings that the signature covers, or `nil` if they are unknown.
  private(set) var parts: SignedParts?

  /// The string to sign and the canonical request, for differences that no part shows.
  private(set) var texts: SignedTexts?

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

  static func tokens(of request: HTTPRequest) -> [Secret] {
    var tokens = request.headerFields.filter { SecretName.isToken($0.name.canonicalName) }.map(\.value)
    for item in (request.path ?? "").cutOnce(at: "?").after?.cut(at: "&") ?? [] {
      let (name, value) = item.cutOnce(at: "=")
      if let value, SecretName.isToken(name.unescaped ?? name) { tokens += [value.unescaped ?? value] }
    }
    return tokens.filter { !$0.isEmpty }.map { Secret($0) }
  }

  func signedParts(_ stringToSign: String?, _ canonicalRequest: String?) -> SignedParts? {
    let canonicalParts = canonicalRequest.flatMap { reader.parts(ofCanonicalRequest: $0, for: request) }
    let stringParts = stringToSign.flatMap { reader.parts(ofStringToSign: $0, for: request) }
    guard var parts = canonicalParts else { return stringParts }
    if let stringParts { parts.add(stringParts) }
    return parts
  }

  /// Returns the parts of the client's strings whose counterparts the service's response shows.
  func parts(showing rejection: RejectedResponse.Reading) -> SignedParts? {
    signedParts(
      rejection.stringToSign == nil ? nil : texts?.stringToSign,
      rejection.canonicalRequest == nil ? nil : texts?.canonicalRequest)
  }

  /// Whether the request contains a session token at a position where the service reads it.
  var hasToken: Bool { reading?.hasToken ?? !tokens.isEmpty }

  func hasParameter(_ name: String) -> Bool { request.parameterNames.contains(name) }

  var isSignedTwice: Bool {
    request.headerFields.contains(.authorization) && reader.signatureParameters.contains(where: hasParameter)
  }
}

extension HTTPRequest {
  package var parameterNames: [String] {
    ((path ?? "").cutOnce(at: "?").after ?? "").cut(at: "&").filter { !$0.isEmpty }.map {
      let name = $0.cutOnce(at: "=").before
      return name.unescaped ?? name
    }
  }

  package var decodedPath: String? { (path ?? "").cutOnce(at: "?").before.unescaped }
}

extension String {
  /// The lines of the string, including empty ones; only a line feed ends a line.
  package var lines: [String] { cut(at: "\n") }

  package func cut(at mark: Unicode.Scalar) -> [String] { parts(between: mark).map { String($0) } }

  /// Returns the strings before and after the first occurrence of an ASCII character; without one, the second is `nil`.
  package func cutOnce(at mark: Unicode.Scalar) -> (before: String, after: String?) {
    let parts = parts(between: mark, atMost: 1).map(String.init)
    return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
  }

  package func count(of mark: Unicode.Scalar) -> Int {
    utf8.reduce(0) { $0 + ($1 == UInt8(ascii: mark) ? 1 : 0) }
  }

  /// The string, percent-decoded once, or `nil` if an escape is malformed or the result is not UTF-8.
  package var unescaped: String? { percentDecodedBytes().flatMap { String(utf8: $0) } }
}
