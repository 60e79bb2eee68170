// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension ProcessOutputFormat {
  /// The default format for a custom program, which is ``alibabaCloud`` because that format was the first in this
  /// package.
  public static let standard = alibabaCloud

  /// The format in which programs for Alibaba's tools print a key.
  ///
  /// The output is either `{"AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration"}` as in the OSS SDKs, or
  /// `{"mode", "access_key_id", "access_key_secret", "sts_token", "expiration"}` as in the command-line tool's mode
  /// `External`. The token and the expiration are optional.
  public static let alibabaCloud = ProcessOutputFormat(fields: "AccessKeyId and AccessKeySecret") {
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
