// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension TokenFormat {
  /// The response format that the SDKs of Tencent Cloud COS read: `credentials`, `startTime`, `expiredTime`.
  ///
  /// The start time is the current time, so that a device with a wrong clock can still measure the lifetime.
  public static let cos = TokenFormat(
    json: { issued, requestID in
      [
        "credentials": [
          "tmpSecretId": .string(issued.key.id.string), "tmpSecretKey": .string(issued.key.secret.reveal()),
          "sessionToken": .string(issued.key.sessionToken?.reveal() ?? ""),
        ],
        "startTime": .number(JSONNumber(issued.date.unixSeconds)),
        "expiredTime": .number(JSONNumber(issued.expiration.unixSeconds)),
        "expiration": .string(issued.expiration.iso8601), "requestId": .string(requestID),
      ]
    },
    refusal: { refusal, requestID in
      [
        "code": .number(JSONNumber(refusal.status.code)), "codeDesc": .string(refusal.code),
        "message": .string(refusal.message), "requestId": .string(requestID),
      ]
    })
}
