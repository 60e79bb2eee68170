// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Hummingbird
internal import ServiceLifecycle
internal import StorageAuthServer
internal import StorageObservability

/// The routes of a token server, with the services that they need and the checks of its readiness.
struct TokenServerRoutes<Context: RequestContext> {
  let router: Router<Context>
  let service: any Service
  /// The observers that count the requests to the cloud.
  let metrics: [StorageMetrics]
  let checks: [HealthCheck]
}
