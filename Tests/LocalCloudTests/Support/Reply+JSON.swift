// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import StorageAuth

extension Reply {
  /// The member of the JSON body at a path of names as a string, or `nil` if it is missing or the body is not JSON.
  func json(_ path: String...) -> String? {
    var value: Any? = try? JSONSerialization.jsonObject(with: Data(body))
    for name in path { value = (value as? [String: Any])?[name] }
    return (value as? String) ?? (value as? NSNumber)?.stringValue
  }

  /// The credentials in a response of Alibaba Cloud STS.
  var alibabaKey: AccessKey? {
    key(id: ["Credentials", "AccessKeyId"], ["Credentials", "AccessKeySecret"], ["Credentials", "SecurityToken"])
  }

  /// The credentials in a response of Tencent Cloud STS.
  var tencentKey: AccessKey? {
    let place = ["Response", "Credentials"]
    return key(id: place + ["TmpSecretId"], place + ["TmpSecretKey"], place + ["Token"])
  }

  /// The credentials in a response of AWS STS.
  var amazonKey: AccessKey? {
    get throws {
      let credentials = try document.children.first?["Credentials"]
      guard let id = credentials?["AccessKeyId"]?.text, let secret = credentials?["SecretAccessKey"]?.text,
        let token = credentials?["SessionToken"]?.text
      else { return nil }
      return AccessKey(id: id, secret: secret, sessionToken: token)
    }
  }

  /// The credentials at three paths of the JSON body.
  func key(id: [String], _ secret: [String], _ token: [String]) -> AccessKey? {
    func text(_ path: [String]) -> String? {
      var value: Any? = try? JSONSerialization.jsonObject(with: Data(body))
      for name in path { value = (value as? [String: Any])?[name] }
      return value as? String
    }
    guard let id = text(id), let secret = text(secret), let token = text(token) else { return nil }
    return AccessKey(id: id, secret: secret, sessionToken: token)
  }
}
