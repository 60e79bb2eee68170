// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension ProcessOutputShape {
  /// The default format of a custom program: ``alibabaCloud``, which was the first one in this package.
  public static let standard = alibabaCloud

  /// The two formats of Alibaba's tools, of which the output may have either.
  ///
  /// They are `{"AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration"}` of the OSS SDKs and
  /// `{"mode", "access_key_id", "access_key_secret", "sts_token", "expiration"}` of the command-line tool's mode
  /// `External`. The token and the expiration are optional.
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
