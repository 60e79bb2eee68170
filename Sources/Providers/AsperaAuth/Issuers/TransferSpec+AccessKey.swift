// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageJSON

extension TransferSpec {
  /// The user name that servers expect for transfers with an access key.
  static let accessKeyUser = "xfer"

  /// Returns a specification with the fields that a transfer with an access key's token requires.
  ///
  /// The fields are the user, and the tags that identify the access key and the folder.
  ///
  /// ``TransferSigner`` merges these tags with the tags of the transfer.
  ///
  /// - Parameters:
  ///   - accessKey: The identifier of the access key.
  ///   - fileID: The identifier of the folder or file, or `nil` for the root of the access key.
  static func naming(accessKey: String, fileID: String?) -> TransferSpec {
    var node = JSONObject()
    node["access_key"] = .string(accessKey)
    node["file_id"] = fileID.map { .string($0) }
    var fields = JSONObject()
    fields["remote_user"] = .string(accessKeyUser)
    fields["tags"] = ["aspera": ["node": .object(node)]]
    return TransferSpec(fields: fields)
  }
}
