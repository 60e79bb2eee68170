// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
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
  /// `events` is the hub of the client, the credential cache or the transfer queue that is traced. `tracer` is the
  /// tracing backend; by default, the one that the process has bootstrapped. `includesKeys` determines whether spans have
  /// the keys of objects as attributes, and sentences about failures, which can contain keys. Keys can be personal data.
  public init(_ events: EventHub, tracer: any Tracer = InstrumentationSystem.tracer, includesKeys: Bool = true) {
    observation = events.install(TracingInstrument(tracer: tracer, includesKeys: includesKeys))
  }

  /// Stops tracing.
  public func stop() { observation.cancel() }
}

/// An instrument that begins a span for each activity of a client: an operation, an attempt or a refresh.
struct TracingInstrument: AuthInstrument {
  let tracer: any Tracer
  let includesKeys: Bool

  func currentContext() -> (any Sendable)? { ServiceContext.current }

  func begin(_ activity: AuthActivity, in context: (any Sendable)?) -> any AuthSpan {
    let subject = EventSubject(activity.subject)
    // A refresh belongs to no request: its subject is the name of the credential source.
    let isRefresh = activity.kind == .refresh
    let span = tracer.startSpan(
      isRefresh ? "refresh" : subject.operation, context: context as? ServiceContext ?? .topLevel,
      ofKind: activity.kind == .attempt ? .client : .internal)
    if isRefresh {
      span.attributes["storage_auth.source"] = activity.subject
    } else {
      span.attributes["storage_auth.provider"] = subject.provider
      span.attributes["storage_auth.container"] = subject.container
      if includesKeys { span.attributes["storage_auth.key"] = subject.key }
      span.attributes["storage_auth.attempt"] = activity.attempt
    }
    return TracedSpan(span: span, tracer: tracer, includesFailureTexts: includesKeys)
  }
}

/// A span of the tracing backend, as the client sees it.
private struct TracedSpan: AuthSpan {
  let span: any Span
  let tracer: any Tracer
  /// Whether sentences about failures are added to the span; they can contain keys of objects.
  let includesFailureTexts: Bool

  func run<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    // The function of the tracing library does not keep the type of the error.
    let result = await ServiceContext.withValue(span.context) { await Result<Value, Failure>.catching(body) }
    return try result.get()
  }

  func record(_ event: AuthEvent) {
    switch event {
    case .signed(let signature):
      span.addEvent(SpanEvent(name: "signed", attributes: ["storage_auth.generation": "\(signature.generation)"]))
    case .retry(let retry):
      var attributes: SpanAttributes = ["storage_auth.attempt": .int64(Int64(retry.attempt))]
      if includesFailureTexts { attributes["storage_auth.reason"] = retry.reason }
      span.addEvent(SpanEvent(name: "retry", attributes: attributes))
    case .skew(let skew):
      span.addEvent(SpanEvent(name: "clock skew", attributes: ["storage_auth.offset": "\(skew.offset)"]))
    // The other events are the begin and the end of a span.
    case .request, .refresh, .transfer: break
    }
  }

  func inject(into fields: inout HTTPFields) { tracer.inject(span.context, into: &fields, using: FieldInjector()) }

  func end(_ outcome: AuthActivity.Outcome) {
    span.attributes["http.response.status_code"] = outcome.status
    if let failure = outcome.failure {
      span.setStatus(SpanStatus(code: .error, message: includesFailureTexts ? failure : nil))
    }
    span.end()
  }
}

/// An injector that adds the fields of a trace to a request, unless the request has them already.
private struct FieldInjector: Injector {
  func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
    guard let name = HTTPField.Name(key), fields[name] == nil else { return }
    fields[name] = value
  }
}
