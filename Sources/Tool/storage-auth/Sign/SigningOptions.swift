// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import OSSAuth
internal import StorageAuth

/// The arguments and options that `sign` and `presign` share.
struct SigningOptions: ParsableArguments {
  @Argument(help: "The method in capital letters; GET by default.")
  var method: String?

  @Argument(help: "The URL, percent-encoded as it will be sent; or oss://bucket/key (or cos://, s3://), not encoded.")
  var url: String?

  @Option(
    help: ArgumentHelp(
      "The URL of the service of oss://bucket/key, such as http://127.0.0.1:9000; by default the public one of the "
        + "region, or for s3 that of AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or ~/.aws/config.",
      valueName: "url"))
  var endpoint: String?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp("A header of the request, as 'Name: value'; repeatable.", valueName: "name: value"))
  var headers: [String] = []

  @Option(help: "\(CloudName.alternatives); by default the one to which the host belongs.")
  var provider: CloudName?

  @Option(
    help: """
      The region, for OSS V4 and S3; derived from the host by default, and for oss://bucket/key as by cp.
      """)
  var region: String?

  @OptionGroup var addressing: AddressingOptions

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
    _ = try SigningPlan(self)
  }

  /// The context for signing, with the time that `--date` specifies or the current time.
  var context: SigningContext { SigningContext(date: date?.timestamp ?? .now) }

  /// Returns the request that the arguments describe, its signer, and the access key.
  func plan() async throws -> (SigningPlan, AccessKey) {
    let plan = try SigningPlan(self)
    return (plan, try await credentials.cache(for: plan.cloud).credential())
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
