// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// A part of the server that has separate faults and statistics.
  public enum Endpoint: String, Sendable, Hashable, CaseIterable {
    /// OSS.
    case oss
    /// COS.
    case cos
    /// S3.
    case s3
    /// The token services of all vendors.
    case sts
    /// The app server that issues temporary credentials.
    case appServer
    /// The instance metadata of all vendors.
    case metadata
    /// The Aspera Node API.
    case node
    /// The transfer desk that `ascp-simulator` uses.
    case transfer
  }
}
