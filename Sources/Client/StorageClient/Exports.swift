// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

@_exported public import COSAuth
@_exported public import CredentialSources
@_exported public import HTTPTypes
@_exported public import OSSAuth
@_exported public import S3Auth
@_exported public import StorageAuth
@_exported public import StorageDiagnosis

@_exported public import struct SystemPackage.FilePath

#if STORAGE_AUTH_NIO
  @_exported public import AsyncHTTPTransport
#else
  @_exported public import FoundationTransport
  #if STORAGE_AUTH_URLSESSION
    internal import URLSessionDefault
  #endif
#endif

// The registry of services, which no other file of this module lists.

extension ServiceDescription {
  /// The services whose error codes and presigned URLs the client recognizes.
  static let known = [oss, cos, s3]
}

extension HeaderConventions {
  /// Returns the conventions of the service that a response comes from, according to the header with the request ID.
  ///
  /// Unknown services count as S3, because most of them are compatible.
  static func known(from response: HTTPResponse) -> HeaderConventions {
    [oss, cos].first { response.headerFields[$0.requestID] != nil } ?? s3
  }
}
