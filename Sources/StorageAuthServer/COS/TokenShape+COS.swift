internal import StorageJSON

extension TokenShape {
  /// The form that the SDKs of Tencent Cloud COS read: `credentials`, `startTime`, `expiredTime`.
  ///
  /// The start time is the present, so that a device with a wrong clock counts right.
  public static let cos = TokenShape(
    document: { vended, requestID in
      let value: JSONValue = [
        "credentials": [
          "tmpSecretId": .text(vended.key.id.string), "tmpSecretKey": .text(vended.key.secret.reveal()),
          "sessionToken": .text(vended.key.sessionToken?.reveal() ?? ""),
        ],
        "startTime": .number(JSONNumber(vended.date.unixSeconds)),
        "expiredTime": .number(JSONNumber(vended.expiration.unixSeconds)),
        "expiration": .text(vended.expiration.iso8601), "requestId": .text(requestID),
      ]
      return value.serialized
    },
    refusal: { refusal, requestID in
      let value: JSONValue = [
        "code": .number(JSONNumber(refusal.status.code)), "codeDesc": .text(refusal.code),
        "message": .text(refusal.message), "requestId": .text(requestID),
      ]
      return value.serialized
    })
}
