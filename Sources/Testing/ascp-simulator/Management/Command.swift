// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A command for a persistent session that the client sends to the management port.
enum Command: Sendable {
  case start(source: String, destination: String?)
  case finish
}
