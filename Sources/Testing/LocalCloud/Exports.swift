// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

@_exported public import struct StorageAuthServer.ConnectionLimits
