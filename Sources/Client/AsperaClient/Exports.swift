// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

@_exported public import AsperaAuth
@_exported public import AsperaTransfer
@_exported public import StorageClient

#if STORAGE_AUTH_NIO
  @_exported public import StoragePrograms
#endif
