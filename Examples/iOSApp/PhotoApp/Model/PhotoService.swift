// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageClient

/// The app's server, with which users log in and which issues temporary keys, and the bucket that these are valid for.
struct PhotoService: Sendable {
  /// The service that stores the photos.
  enum Provider: Sendable {
    case oss
    case cos
  }

  /// The URL of the app's server, without a slash at its end.
  var server: String

  var provider: Provider
  var bucket: String
  var region: String

  /// The endpoint of the bucket, or `nil` for that of the region.
  var endpoint: String?

  /// Returns a store that requests its keys from the app's server, before they expire and once for all requests.
  ///
  /// - Parameters:
  ///   - session: The session of the user, which the server issues the keys for.
  ///   - transport: The transport for requests to the app's server and to the bucket.
  func photos(of session: Session, over transport: any HTTPTransport) -> any PhotoStore {
    let source = AppServerCredentialProvider(source: "photo service") { [server] in
      AppServerRequest("\(server)/distribute-token.json", headers: [.authorization: "Bearer \(session.token)"])
    }
    let keys = CredentialCache(source, in: ProviderContext(transport: transport))
    switch provider {
    case .oss:
      return StorageClient(
        .oss(bucket: bucket, region: region, endpoint: endpoint), credentials: keys, transport: transport)
    case .cos:
      return StorageClient(
        .cos(bucket: bucket, region: region, endpoint: endpoint), credentials: keys, transport: transport)
    }
  }
}

/// A store that also creates presigned URLs, which every client of OSS and of COS is.
protocol PhotoStore: ObjectStore {
  /// Creates a presigned request, for which a key is requested that lives as long.
  func link(
    _ method: HTTPRequest.Method, _ key: String, contentType: String?, validFor duration: Duration
  ) async throws -> PresignedRequest
}

extension StorageClient: PhotoStore where Provider: PresigningProvider {
  func link(
    _ method: HTTPRequest.Method, _ key: String, contentType: String?, validFor duration: Duration
  ) async throws -> PresignedRequest {
    try await presign(method, key, contentType: contentType, validFor: duration)
  }
}
