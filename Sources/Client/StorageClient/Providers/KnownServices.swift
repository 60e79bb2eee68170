// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import COSAuth
internal import HTTPTypes
internal import OSSAuth
internal import S3Auth
internal import StorageAuth

extension ServiceDescription {
  /// The services whose error codes and presigned URLs the client interprets without knowing which service it uses.
  static let known = [oss, cos, s3]
}

extension HeaderConventions {
  /// Returns the conventions of the service that a response comes from, by the name of the header with the request ID.
  static func named(in response: HTTPResponse) -> HeaderConventions {
    [oss, cos].first { response.headerFields[$0.requestID] != nil } ?? s3
  }
}
