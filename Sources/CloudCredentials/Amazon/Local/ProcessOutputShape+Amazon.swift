internal import StorageAuth

extension ProcessOutputShape {
  /// What Amazon's tools read from a `credential_process`.
  ///
  /// It is `{"Version": 1, "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}`; the last two may be missing.
  /// Page: "Process credential provider" of the SDK reference.
  public static let amazon = ProcessOutputShape(fields: "Version 1, AccessKeyId and SecretAccessKey") {
    (answer) throws(CredentialError) in
    guard let version = try answer.integer("Version") else { throw answer.place.malformed("has no “Version”") }
    guard version == 1 else { throw answer.place.malformed("has the Version \(version), and only 1 is known") }
    return try answer.requiredKey(
      .init(id: "AccessKeyId", secret: "SecretAccessKey", token: "SessionToken", expiration: "Expiration"))
  }
}
