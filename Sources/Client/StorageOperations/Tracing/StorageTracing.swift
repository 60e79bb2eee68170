// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import StorageAuth
public import Tracing

/// An instrument that traces a storage client with swift-distributed-tracing, as long as it is retained.
///
/// - Each operation is a span with the name of the operation, such as `upload`.
/// - Each attempt is a client span inside the operation's span, with the HTTP method or the API's name, such as `PUT`.
/// - Each credential refresh is the span `refresh`, inside the span of the operation that caused it.
///
/// Signatures, retries and clock corrections are events of these spans. Requests to the app's own servers (the app
/// server that issues temporary keys, and the signing server) continue the trace. Requests to a vendor's services carry
/// the trace context only if the transport adds it, as AsyncHTTPClient does.
///
/// The attributes are `storage_auth.provider`, `storage_auth.container`, `storage_auth.key`, `storage_auth.attempt`,
/// `storage_auth.source` and `http.response.status_code`. They contain no secret and no token.
///
/// ```swift
/// let tracing = StorageTracing(client.events)
/// ```
public final class StorageTracing: Sendable {
  private let observation: EventHub.Observation

  /// Creates an instrument, and installs it in a hub of events.
  ///
  /// - Parameters:
  ///   - events: The hub of the client, the credential cache or the transfer queue that is traced.
  ///   - tracer: The tracing backend; by default, the one that the process has bootstrapped.
  ///   - includesKeys: Whether spans have the keys of objects as attributes, and sentences about failures, which can
  ///     contain keys. Keys can be personal data.
  public init(
    _ events: EventHub, tracer: any Tracer = InstrumentationSystem.tracer, includesKeys: Bool = true
  ) {
    observation = events.install(TracingInstrument(tracer: tracer, includesKeys: includesKeys))
  }

  /// Stops tracing.
  public func stop() {
    observation.cancel()
  }
}
