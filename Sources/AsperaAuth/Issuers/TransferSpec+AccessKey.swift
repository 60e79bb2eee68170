internal import StorageJSON

extension TransferSpec {
  /// The account that servers let access keys in with.
  static let accessKeyUser = "xfer"

  /// What a transfer with the token of an access key needs beside the token: the user, and the tags by which the server
  /// finds the access key and the folder.
  ///
  /// The signer of transfers adds these tags to those of the transfer.
  ///
  /// - Parameters:
  ///   - accessKey: The id of the access key.
  ///   - fileID: The folder or file.
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
