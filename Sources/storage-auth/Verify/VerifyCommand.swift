// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import StorageAuth
internal import StorageClient

/// The command `storage-auth verify`, which verifies a request's signature as a service does.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verifies the signature of a request, with the key of the default sources.",
    discussion: """
      Pass the request as it arrived, with its Authorization header or as a presigned URL. A failure is explained; with \
      --explain the canonical request and the string to sign are printed too, with the session token masked.

      Exits with status 0 if the signature is valid, and with 1 otherwise.
      """)

  @OptionGroup var options: RequestOptions

  @Flag(help: "Apply the strict mode of COS: host, Content-Length, token and every parameter must be signed.")
  var strict = false

  @Option(help: "The time of verification in seconds since 1970, or as 2026-11-20T08:00:00Z; now by default.")
  var date: TimestampArgument?

  @Flag(help: "Print the canonical request and the string to sign if the signature does not match.")
  var explain = false

  @OptionGroup var credentials: CredentialOptions

  func run() async throws {
    let request = try options.sent()
    let cloud = try options.cloud(of: request)
    do {
      let proof = try await verify(
        request, with: cloud.verifier(of: request, options, isStrict: strict), credentials.cache(for: cloud))
      Terminal.lines(proof.text)
    } catch let error as VerificationError {
      Terminal.line("refused  \(error.description)")
      if explain, let comparison = error.comparison {
        if let canonical = comparison.canonicalRequest { Terminal.notes("--- canonical request\n\(canonical)") }
        Terminal.notes("--- string to sign\n\(comparison.stringToSign)\n---")
      }
      throw ExitCode.failure
    }
  }

  private func verify(
    _ request: HTTPRequest, with verifier: some SignatureVerifier, _ keys: CredentialCache<AccessKey>
  ) async throws -> VerifiedRequest {
    let key = try await keys.credential()
    return try await verifier.verify(request, at: date?.timestamp ?? .now) { $0 == key.id ? key : nil }
  }
}

extension VerifiedRequest {
  /// The verified properties of the request, with one property on each line.
  fileprivate var text: String {
    var lines = [
      "verified", "id        \(accessKeyID)", "in        \(placement == .header ? "the headers" : "the URL")",
    ]
    if let bucket = target.bucket { lines.append("bucket    \(DisplayText(bucket.string))") }
    if let key = target.key { lines.append("key       \(DisplayText(key.string))") }
    if let expiration { lines.append("until     \(expiration)") }
    for parameter in target.parameters { lines.append("signed    \(parameter)") }
    for parameter in unsignedParameters { lines.append("unsigned  \(parameter)") }
    if !signedHeaders.isEmpty { lines.append("headers   \(signedHeaders.sorted().joined(separator: " "))") }
    return lines.joined(separator: "\n")
  }
}
