internal import StorageAuth

extension ProcessOutputShape {
  /// The shape of a program of one's own unless another one is named: ``alibabaCloud``, which is the oldest here.
  public static let standard = alibabaCloud

  /// Both shapes that Alibaba's tools know, whichever comes.
  ///
  /// They are `{"AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration"}` as for the OSS SDKs, and
  /// `{"mode", "access_key_id", "access_key_secret", "sts_token", "expiration"}` as for the mode `External` of the command
  /// line. Token and expiration may be missing.
  public static let alibabaCloud = ProcessOutputShape(fields: "AccessKeyId and AccessKeySecret") {
    (answer) throws(CredentialError) in
    guard answer.has("access_key_id") || answer.has("access_key_secret") || answer.has("mode") else {
      return try answer.requiredKey(
        .init(id: "AccessKeyId", secret: "AccessKeySecret", token: "SecurityToken", expiration: "Expiration"))
    }
    switch try answer.text("mode") {
    case "AK"?:
      return try answer.requiredKey(.init(id: "access_key_id", secret: "access_key_secret"))
    case "StsToken"?:
      _ = try answer.required("sts_token")
      fallthrough
    case nil:
      return try answer.requiredKey(
        .init(id: "access_key_id", secret: "access_key_secret", token: "sts_token", expiration: "expiration"))
    case let mode?:
      throw answer.place.malformed("has the mode \(mode.shownIfName)", remedy: "Let it print the mode AK or StsToken.")
    }
  }
}
