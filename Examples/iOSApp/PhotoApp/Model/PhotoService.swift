// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import StorageClient

/// A client of the bucket that contains the photos.
///
/// For Tencent Cloud, write `StorageClient<COSProvider>` here and `.cos` in ``PhotoService``.
typealias PhotoClient = StorageClient<OSSProvider>

/// The app's server, which issues temporary keys, and the bucket that they are valid for.
struct PhotoService: Sendable {
  /// The URL at which the server issues keys.
  var keys: String

  var bucket: String
  var region: String

  /// The endpoint of the bucket, or `nil` for that of the region.
  var endpoint: String?

  /// Returns a client that requests its keys from the app's server, before they expire and once for all requests.
  ///
  /// - Parameters:
  ///   - transport: The transport for requests to the app's server and to the bucket.
  ///   - login: A closure that returns the token of the user's login, called for each key.
  func client(
    transport: any HTTPTransport, login: @escaping @Sendable @concurrent () async throws -> String
  ) -> PhotoClient {
    let source = AppServerCredentialProvider(source: "photo service") { [keys] in
      AppServerRequest(keys, headers: [.authorization: "Bearer \(try await login())"])
    }
    return StorageClient(
      .oss(bucket: bucket, region: region, endpoint: endpoint),
      credentials: CredentialCache(source, in: ProviderContext(transport: transport)), transport: transport)
  }
}
