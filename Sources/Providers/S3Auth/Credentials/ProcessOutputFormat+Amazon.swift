// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension ProcessOutputFormat {
  /// The format in which a `credential_process` of Amazon's tools prints a key.
  ///
  /// The output is `{"Version": 1, "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}`. The session token
  /// and the expiration are optional. Page: "Process credential provider" in the AWS SDKs and Tools Reference Guide.
  public static let amazon = ProcessOutputFormat(fields: "Version 1, AccessKeyId and SecretAccessKey") {
    (answer) throws(CredentialError) in
    guard let version = try answer.integer("Version") else { throw answer.place.malformed("has no “Version”") }
    guard version == 1 else { throw answer.place.malformed("has the Version \(version), but only 1 is supported") }
    return try answer.requiredKey(
      .init(id: "AccessKeyId", secret: "SecretAccessKey", token: "SessionToken", expiration: "Expiration"))
  }
}
