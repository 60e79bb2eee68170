// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension TokenFormat {
  /// The response format that the SDKs of Alibaba Cloud OSS read from `distribute-token.json`.
  ///
  /// Its fields are `StatusCode`, `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and `Expiration`.
  public static let oss = TokenFormat(
    json: { issued, requestID in
      [
        "StatusCode": 200, "AccessKeyId": .string(issued.key.id.string),
        "AccessKeySecret": .string(issued.key.secret.reveal()),
        "SecurityToken": .string(issued.key.sessionToken?.reveal() ?? ""),
        "Expiration": .string(issued.expiration.iso8601),
        "RequestId": .string(requestID),
      ]
    },
    refusal: { refusal, requestID in
      [
        "StatusCode": .number(JSONNumber(refusal.status.code)), "ErrorCode": .string(refusal.code),
        "ErrorMessage": .string(refusal.message), "RequestId": .string(requestID),
      ]
    })
}
