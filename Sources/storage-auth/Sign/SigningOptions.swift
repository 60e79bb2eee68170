// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HTTPTypes
internal import OSSAuth
internal import StorageAuth
internal import StorageClient

/// The arguments and options that `sign` and `presign` share.
struct SigningOptions: ParsableArguments {
  @Argument(help: "The method, such as GET.")
  var method: String?

  @Argument(help: "The URL, percent-encoded as it will be sent.")
  var url: String?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp("A header of the request, as 'Name: value'; repeatable.", valueName: "name: value"))
  var headers: [String] = []

  @Option(help: "\(CloudName.alternatives); by default the one to which the host belongs.")
  var provider: CloudName?

  @Option(help: "The region, for OSS V4 and S3; derived from the host by default.")
  var region: String?

  @Option(help: "The bucket, for a custom domain.")
  var bucket: String?

  @Option(help: "The version of the OSS signature: v4 or v1.")
  var signature: SignatureVersionArgument = .v4

  @Flag(help: "Sign OSS V1 URLs for keys with a question mark too, although they also grant access to another object.")
  var allowAmbiguousV1 = false

  @Option(help: "The time of signing in seconds since 1970, or as 2026-11-20T08:00:00Z; now by default.")
  var date: TimestampArgument?

  @OptionGroup var credentials: CredentialOptions

  @Flag(
    help: "Print the canonical request and the string to sign to standard error, with the session token masked.")
  var explain = false

  @Flag(help: "Read requests as lines of JSON from standard input, and print one line of JSON for each.")
  var jsonl = false

  func validate() throws {
    if jsonl, method != nil {
      throw ValidationError("--jsonl reads requests from standard input: omit METHOD and URL.")
    }
    if jsonl { return }
    guard url != nil else { throw ValidationError("Pass a METHOD and a URL, or --jsonl.") }
    _ = try cloud(of: request())
  }

  /// The context for signing, with the time that `--date` specifies or the current time.
  var context: SigningContext { SigningContext(date: date?.timestamp ?? .now) }

  /// Returns the unsigned request that the arguments describe.
  func request() throws -> HTTPRequest {
    try HTTPRequest(method: method, url: url, headers: headers)
  }

  /// Returns the signer and the access key for signing a request.
  func signer(for request: HTTPRequest) async throws -> (any SplitSigner<AccessKey> & Presigner<AccessKey>, AccessKey) {
    let cloud = try cloud(of: request)
    return (
      cloud.signer(for: request.hostName, self), try await credentials.cache(for: cloud).credential()
    )
  }

  private func cloud(of request: HTTPRequest) throws -> any Cloud {
    guard let name = provider ?? CloudName(host: request.hostName) else {
      throw CloudName.unknown(host: request.hostName)
    }
    return name.cloud
  }

  /// Prints the canonical request and the string to sign, with the session token masked, if `--explain` is set.
  func printExplanation(of pending: PendingSignature) {
    guard explain, !Terminal.mode.isJSON else { return }
    let mask = SecretMask([pending.identity.sessionToken].compactMap(\.self))
    if let canonical = pending.canonicalRequest {
      Terminal.notes("--- canonical request\n\(mask.applied(to: canonical))")
    }
    Terminal.notes("--- string to sign\n\(mask.applied(to: pending.stringToSign))\n---")
  }
}

/// An argument that specifies the version of the OSS signature.
enum SignatureVersionArgument: String, ExpressibleByArgument, CaseIterable {
  case v4
  case v1

  var version: OSSSignatureVersion { self == .v4 ? .v4 : .v1 }
}

/// An argument that specifies a point in time, as seconds since 1970 (UTC) or in ISO 8601.
struct TimestampArgument: ExpressibleByArgument {
  let timestamp: Timestamp

  init?(argument: String) {
    if let seconds = Int64(argument) {
      timestamp = Timestamp(unixSeconds: seconds)
    } else if let timestamp = Timestamp(iso8601: argument) {
      self.timestamp = timestamp
    } else {
      return nil
    }
  }
}
