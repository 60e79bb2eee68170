// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A service's description of an uploaded object.
public struct UploadedObject: Sendable, Hashable {
  /// The key of the object.
  public let key: String
  /// The size of the object in bytes.
  public let size: Int64
  /// The entity tag of the object as the service sends it, with the quotes, or `nil` if the service did not report it.
  public let etag: String?

  /// The checksum of the uploaded bytes, or `nil` if the client did not read the bytes.
  ///
  /// It equals the checksum that the service reports. It is `nil` for a file that ascp sends, because ascp verifies it.
  public let checksum: ObjectChecksum?

  /// The version of the object in a bucket with versioning, or `nil`.
  public let versionID: String?
  /// The ID of the request that stored the object, or `nil` if the service did not report it.
  public let requestID: String?

  /// The response of the app's server to the callback after the upload, or `nil` if the upload had no callback.
  ///
  /// The reply is also `nil` if the response to the upload was lost, and the client found that the object is stored.
  /// Services require JSON of a limited size; OSS allows 3 MB.
  public let callbackReply: [UInt8]?

  /// Creates a description, for implementations of ``ObjectStore``; the parameters are the properties.
  public init(
    key: String, size: Int64, etag: String? = nil, checksum: ObjectChecksum?, versionID: String? = nil,
    requestID: String? = nil, callbackReply: [UInt8]? = nil
  ) {
    self.key = key
    self.size = size
    self.etag = etag
    self.checksum = checksum
    self.versionID = versionID
    self.requestID = requestID
    self.callbackReply = callbackReply
  }

  init(
    key: String, size: Int64, etag: String?, checksum: ObjectChecksum, _ response: HTTPResponse,
    _ conventions: HeaderConventions, callbackReply: [UInt8]? = nil
  ) {
    self.init(
      key: key, size: size, etag: etag, checksum: checksum,
      versionID: response.headerFields.value(of: conventions.versionID),
      requestID: response.headerFields.value(of: conventions.requestID), callbackReply: callbackReply)
  }
}
