internal import StorageJSON

/// How an answer with a key is written, so that the vendors' SDKs and those of this package read it.
public struct TokenShape: Sendable {
  private enum Vendor {
    case oss, cos
  }

  private let vendor: Vendor

  /// What the SDKs of Alibaba Cloud OSS read from `distribute-token.json`: `StatusCode`, `AccessKeyId`,
  /// `AccessKeySecret`, `SecurityToken`, `Expiration`.
  public static let oss = TokenShape(vendor: .oss)

  /// What the SDKs of Tencent Cloud COS read: `credentials`, `startTime`, `expiredTime`.
  ///
  /// The start time is the present, so that a device with a wrong clock counts right.
  public static let cos = TokenShape(vendor: .cos)

  /// An answer with a key.
  func document(_ vended: VendedKey, requestID: String) -> JSONValue {
    let (key, token) = (vended.key, vended.key.sessionToken?.reveal() ?? "")
    let end = vended.expiration
    switch vendor {
    case .oss:
      return [
        "StatusCode": 200, "AccessKeyId": .text(key.id.string), "AccessKeySecret": .text(key.secret.reveal()),
        "SecurityToken": .text(token), "Expiration": .text(end.iso8601), "RequestId": .text(requestID),
      ]
    case .cos:
      return [
        "credentials": [
          "tmpSecretId": .text(key.id.string), "tmpSecretKey": .text(key.secret.reveal()), "sessionToken": .text(token),
        ],
        "startTime": .number(JSONNumber(vended.date.unixSeconds)),
        "expiredTime": .number(JSONNumber(end.unixSeconds)), "expiration": .text(end.iso8601),
        "requestId": .text(requestID),
      ]
    }
  }

  /// An answer without one.
  func refusal(_ refusal: TokenRefusal, requestID: String) -> JSONValue {
    let status = JSONValue.number(JSONNumber(refusal.status.code))
    switch vendor {
    case .oss:
      return [
        "StatusCode": status, "ErrorCode": .text(refusal.code), "ErrorMessage": .text(refusal.message),
        "RequestId": .text(requestID),
      ]
    case .cos:
      return [
        "code": status, "codeDesc": .text(refusal.code), "message": .text(refusal.message),
        "requestId": .text(requestID),
      ]
    }
  }
}
