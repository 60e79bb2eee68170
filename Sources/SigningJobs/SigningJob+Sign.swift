// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

extension SigningJob {
  /// The kind of signature that a line asks for.
  package enum Mode: String, Sendable {
    /// A signature in the headers.
    case header
    /// A signature in the URL.
    case presign
  }

  /// Signs the request of the line.
  ///
  /// - Parameters:
  ///   - defaultMode: The mode for a line without one.
  ///   - now: The time of signing for a line without a date.
  /// - Returns: The result, which contains an error if the request cannot be signed.
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
      throw SigningJobError(message: "\"\(text)\" is not a mode; use header or presign.")
    }
    guard let credential else { throw SigningJobError(message: "The line has no credential.") }
    let key = AccessKey(id: credential.id, secret: credential.secret, sessionToken: credential.token ?? tokenHeader)
    let context = SigningContext(date: date.map { Timestamp(unixSeconds: $0) } ?? now)
    return try signing(mode, key, context)
  }

  /// A function that signs for one provider.
  private typealias Signing = (Mode, AccessKey, SigningContext) throws -> SignedLine

  /// The providers by their names; no other list of them exists.
  private var signings: [(name: String, signing: Signing)] {
    [("oss", signOSS), ("cos", signCOS), ("s3", signS3)]
  }

  /// The function for the provider of the line.
  ///
  /// A line without a provider is for COS if it has a field that only COS has, and otherwise for OSS.
  private var signing: Signing {
    get throws {
      let name = provider ?? (isOfCOS ? "cos" : "oss")
      guard let found = signings.first(where: { $0.name == name }) else {
        let names = signings.map(\.name)
        throw SigningJobError(
          message:
            "\"\(name)\" is not a provider; use \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "").")
      }
      return found.signing
    }
  }

  private static let tokenHeaders = [tokenHeaderOfOSS, tokenHeaderOfCOS, tokenHeaderOfS3]

  /// The session token in the line's headers; signing sets that header again.
  private var tokenHeader: String? {
    headers?.first { Self.tokenHeaders.contains($0.name.asciiLowercased) }?.value
  }

  /// Signs a request with a signer.
  func sign(
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

  /// Returns the request with its key and query percent-encoded once; a Host header replaces the authority.
  func request(authority: String, key: String) throws -> HTTPRequest {
    try request("https", authority, path(for: key))
  }

  /// Returns the request with a path that is already percent-encoded; a Host header replaces the authority.
  func request(_ scheme: String, _ authority: String, _ path: String) throws -> HTTPRequest {
    guard let method = HTTPRequest.Method(method ?? "GET") else {
      throw SigningJobError(message: "The method is not a token.")
    }
    var request = HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    for header in headers ?? [] {
      let value = header.value ?? ""
      guard let name = HTTPField.Name(header.name), HTTPField.isValidValue(value.trimmingBlanks) else {
        throw SigningError(
          .invalidHeader, "A header's name is not a token, or its value holds a line break or a control character.",
          remedy: "Remove the header or correct it.")
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
    appendingQuery(to: "/" + key.percentEncoded(.path)) { name, value in value.isEmpty ? name : "\(name)=\(value)" }
  }

  /// Appends the query of the line to a path.
  ///
  /// - Parameters:
  ///   - path: The percent-encoded path.
  ///   - item: A function that joins a percent-encoded name and value; the value can be an empty string.
  func appendingQuery(to path: String, _ item: (_ name: String, _ value: String) -> String) -> String {
    let items = (query ?? []).map { pair in
      let name = pair.name.percentEncoded()
      return pair.value.map { item(name, $0.percentEncoded()) } ?? name
    }
    return items.isEmpty ? path : path + "?" + items.joined(separator: "&")
  }
}

extension SignedLine {
  /// Signs a line, or reports the error for any invalid line.
  ///
  /// - Parameters:
  ///   - json: The line.
  ///   - defaultMode: The mode for a line without one.
  ///   - now: The time of signing for a line without a date.
  package init(answering json: String, defaultMode: SigningJob.Mode, now: Timestamp) {
    do throws(SigningJobError) {
      self = try SigningJob(json: json).signed(defaultMode: defaultMode, now: now)
    } catch {
      self.init(id: error.id, error: error.description)
    }
  }

  init(_ signed: HTTPRequest, _ pending: PendingSignature) {
    self.init(
      stringToSign: pending.stringToSign, canonicalRequest: pending.canonicalRequest,
      authorization: signed.headerFields[.authorization],
      url: "\(signed.scheme ?? "https")://\(signed.authority ?? "")\(signed.path ?? "/")")
  }

  init(_ signed: PresignedRequest, _ pending: PendingSignature) {
    self.init(
      stringToSign: pending.stringToSign, canonicalRequest: pending.canonicalRequest, url: signed.url)
  }
}

extension String {
  /// The string without spaces and tabs at its ends, which HTTP does not transfer.
  fileprivate var trimmingBlanks: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
