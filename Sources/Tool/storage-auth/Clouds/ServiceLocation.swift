// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageAuth

/// The region of a service and the URL of its endpoint.
struct ServiceLocation {
  let region: String
  /// The URL of the service, or `nil` for the public endpoint of the region.
  let endpoint: String?

  /// Creates the place of a service from options, the environment or a configuration file.
  ///
  /// If none of them contains a region and the service runs on this machine, a default region is used.
  ///
  /// - Parameters:
  ///   - region: The region of the command line, or `nil` without that option.
  ///   - endpoint: The URL of the service, or `nil` for the public endpoint.
  ///   - variables: The environment variables that can contain the region, in order of precedence.
  ///   - configured: The region in a configuration file of the cloud's tools, or `nil` if no file contains a region.
  ///   - local: The default region for a service on this machine, which accepts any region.
  /// - Throws: A `ValidationError` if no region is known.
  init(
    region: String?, endpoint: String?, variables: [String], configured: String? = nil, local: String
  ) throws {
    self.endpoint = endpoint
    let environment = ProcessInfo.processInfo.environment
    if let region = region ?? variables.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) ?? configured {
      self.region = region
    } else if let endpoint, try ServiceEndpoint(endpoint).isLoopback {
      self.region = local
    } else {
      throw ValidationError("Name the region with --region or \(variables.first ?? "").")
    }
  }
}
