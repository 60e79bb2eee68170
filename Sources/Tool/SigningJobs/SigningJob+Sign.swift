// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

extension SigningJob {
  /// A kind of signature that a line can request.
  package enum Mode: String, Sendable {
    /// A signature in the headers of the request.
    case header
    /// A signature in the URL of the request.
    case presign
  }

  /// Signs the request that the job describes.
  ///
  /// - Parameters:
  ///   - defaultMode: The kind of signature for a line that does not specify one.
  ///   - now: The signing time for a line without a date.
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

  /// The type of a function that signs a job's request for one provider.
  private typealias Signing = (Mode, AccessKey, SigningContext) throws -> SignedLine

  /// The signing function for each provider, by provider name.
  ///
  /// This is the only list of the providers.
  private var signings: [(name: String, signing: Signing)] {
    [("oss", signOSS), ("cos", signCOS), ("s3", signS3)]
  }

  /// The signing function for the job's provider.
  ///
  /// A job without a provider is for COS if it contains a field that only COS has, and otherwise for OSS.
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

  /// The session token in the job's headers, or `nil` if there is none; signing sets this header again.
  private var tokenHeader: String? {
    headers?.first { Self.tokenHeaders.contains($0.name.asciiLowercased) }?.value
  }

  /// Signs a request with the given signer.
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

  /// Returns the request for a decoded object key, which the method percent-encodes once, as well as the query.
  ///
  /// If the line contains a `Host` header, its value replaces the authority.
  func request(authority: String, key: String) throws -> HTTPRequest {
    try request("https", authority, path(for: key))
  }

  /// Returns the request for a path that is already percent-encoded.
  ///
  /// If the line contains a `Host` header, its value replaces the authority.
  func request(_ scheme: String, _ authority: String, _ path: String) throws -> HTTPRequest {
    guard let method = HTTPRequest.Method(method ?? "GET") else {
      throw SigningJobError(message: "The method is not a token.")
    }
    var request = HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    for header in headers ?? [] {
      let value = String((header.value ?? "").trimmingBlanks)
      guard let name = HTTPField.Name(header.name), HTTPField.isValidValue(value) else {
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

  /// Appends the job's query to a path.
  ///
  /// - Parameters:
  ///   - path: The percent-encoded path.
  ///   - item: A closure that joins a percent-encoded name and value; the value can be an empty string.
  func appendingQuery(to path: String, _ item: (_ name: String, _ value: String) -> String) -> String {
    let items = (query ?? []).map { pair in
      let name = pair.name.percentEncoded()
      return pair.value.map { item(name, $0.percentEncoded()) } ?? name
    }
    return items.isEmpty ? path : path + "?" + items.joined(separator: "&")
  }
}

extension SignedLine {
  /// Creates the result for a line by signing its request, or with an error if the line is invalid.
  ///
  /// - Parameters:
  ///   - json: The line, which contains a JSON object.
  ///   - defaultMode: The kind of signature for a line that does not specify one.
  ///   - now: The signing time for a line without a date.
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
