// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

@_exported public import HTTPTypes
@_exported public import StorageAuth
