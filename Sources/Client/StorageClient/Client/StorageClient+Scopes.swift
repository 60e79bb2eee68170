// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth

extension StorageClient {
  /// Creates a client that requests a credential for each kind of access, with only the rights that a request needs.
  ///
  /// The scope of a request is the bucket, the action, and the object key; for a list, its prefix. A copy also needs to
  /// read its source. A deletion of several objects has the common prefix of their keys as its scope. ``credentials``
  /// is the cache of the scope with all actions in the whole bucket, which other requests use.
  ///
  /// ```swift
  /// let client = StorageClient(
  ///   .oss(bucket: "photos", region: "cn-hangzhou"),
  ///   scopedCredentials: ScopedAppServerProvider("https://app.example.com/sts", region: "cn-hangzhou", transport: transport))
  /// ```
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - credentials: The source of the credentials, whose credentials the client caches for each scope.
  ///   - configuration: The client's concurrency limits, part sizes and retry settings.
  ///   - transport: The transport that sends the requests.
  ///   - events: The hub that receives the client's events.
  ///   - clockSkew: The known clock skews of services. Clients that share an instance learn from each other.
  public init(
    _ provider: Provider, scopedCredentials credentials: some ScopedCredentialProvider<Provider.SigningCredential>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, events: AuthEvents = AuthEvents(),
    clockSkew: ClockSkew = ClockSkew()
  ) {
    self.init(
      provider, scopedCredentials: ScopedCredentialCache(credentials, events: events), configuration: configuration,
      transport: transport, events: events, clockSkew: clockSkew)
  }

  /// Creates a client that shares a cache of scoped credentials with other clients.
  ///
  /// - Parameters:
  ///   - provider: The service and the bucket.
  ///   - cache: The cache of the credentials for each scope.
  ///   - configuration: The client's concurrency limits, part sizes and retry settings.
  ///   - transport: The transport that sends the requests.
  ///   - events: The hub that receives the client's events. If `nil`, the hub of the credential cache.
  ///   - clockSkew: The known clock skews of services. Clients that share an instance learn from each other.
  public init(
    _ provider: Provider, scopedCredentials cache: ScopedCredentialCache<Provider.SigningCredential>,
    configuration: StorageClientConfiguration = StorageClientConfiguration(),
    transport: any HTTPTransport = .platformDefault, events: AuthEvents? = nil, clockSkew: ClockSkew = ClockSkew()
  ) {
    var everything = AccessRule(objects: .all, in: provider.containerName)
    everything.actions = Set(AccessAction.allCases)
    self.init(
      provider, cache: cache.cache(for: CredentialScope([everything])), scoped: cache, configuration: configuration,
      transport: transport, events: events ?? cache.events, clockSkew: clockSkew, time: .system)
  }

  /// Returns the cache of the credentials for a request.
  ///
  /// - Parameter scope: The scope of the request, or `nil` if it is unknown.
  func credentials(for scope: CredentialScope?) -> CredentialCache<Provider.SigningCredential> {
    guard let scoped, let scope else { return credentials }
    return scoped.cache(for: scope)
  }
}
