// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension LocalCloud {
  /// A part of the local server that has separate faults and statistics.
  public enum Endpoint: String, Sendable, Hashable, CaseIterable {
    /// The simulated OSS service.
    case oss
    /// The simulated COS service.
    case cos
    /// The simulated S3 service.
    case s3
    /// The simulated token services of all vendors.
    case sts
    /// The simulated app server, which issues temporary credentials to apps.
    case appServer
    /// The simulated instance metadata services of all vendors.
    case metadata
    /// The simulated Aspera Node API.
    case node
    /// The simulated Aspera transfer server, which `ascp-simulator` connects to.
    case transfer
    /// The simulated API of Aspera on Cloud, with its token endpoint.
    case asperaOnCloud
    /// The simulated API of Faspex 5, with its token endpoint.
    case faspex
  }
}
