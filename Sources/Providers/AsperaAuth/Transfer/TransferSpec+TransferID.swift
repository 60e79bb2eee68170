// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageJSON

extension TransferSpec {
  /// The time in seconds during which Aspera on Cloud waits for a retry of the transfer, as aspera-cli requests it.
  private static let retrySeconds = 3600

  /// Adds the members `xfer_id` and `xfer_retry` to tags that have a member `aspera`.
  ///
  /// Aspera on Cloud assigns transfers to packages by the ID, and completes a package only if the ID is unique. Members
  /// that the tags already contain remain unchanged. aspera-cli adds the same members.
  ///
  /// - Parameter id: The ID, which must be the same for all attempts of the transfer.
  package mutating func identifyTransfer(as id: String) {
    guard var tags = try? decodedTags(), var aspera = tags["aspera"]?.object else { return }
    guard aspera["xfer_id"] == nil || aspera["xfer_retry"] == nil else { return }
    if aspera["xfer_id"] == nil { aspera["xfer_id"] = .string(id) }
    if aspera["xfer_retry"] == nil { aspera["xfer_retry"] = .number(JSONNumber(Self.retrySeconds)) }
    tags["aspera"] = .object(aspera)
    fields["tags64"] = nil
    self.tags = tags
  }

  /// Whether the token is a bearer token, and the tags do not name the access key by which the server checks it.
  package var lacksTags: Bool {
    guard text("token")?.hasPrefix(BearerText.prefix) == true else { return false }
    let accessKey = (try? decodedTags())?["aspera"]?["node"]?["access_key"]?.string
    return accessKey?.isEmpty ?? true
  }
}
