// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

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
