internal import HTTPTypes
internal import StorageAuth
internal import StorageJSON

/// Keys in the shapes that the SDKs of Tencent Cloud read.
struct TencentKeys: KeyDocuments {
  let provider = LocalCloud.Provider.cos
  let appServerPath = "/cos/credentials"
  let metadataPaths = ["/latest/meta-data/cam/security-credentials/", "/meta-data/cam/security-credentials/"]
  let metadataToken: MetadataToken? = nil

  func appServerDocument(_ key: IssuedKey, requestID: String) -> JSONValue {
    [
      "credentials": [
        "tmpSecretId": .text(key.id), "tmpSecretKey": .text(key.secret), "sessionToken": .text(key.token),
      ],
      "startTime": .number(JSONNumber(key.start.unixSeconds)), "expiredTime": .number(JSONNumber(key.end.unixSeconds)),
      "expiration": .text(key.end.iso8601), "requestId": .text(requestID),
    ]
  }

  func appServerDocument(for error: RefusalAnswer) -> JSONValue {
    [
      "code": .number(JSONNumber(error.status.code)), "codeDesc": .text(error.code), "message": .text(error.message),
    ]
  }

  func metadataDocument(_ key: IssuedKey) -> JSONValue {
    [
      "TmpSecretId": .text(key.id), "TmpSecretKey": .text(key.secret), "Token": .text(key.token),
      "ExpiredTime": .number(JSONNumber(key.end.unixSeconds)), "Expiration": .text(key.end.iso8601), "Code": "Success",
    ]
  }
}
