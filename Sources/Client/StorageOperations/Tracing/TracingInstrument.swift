// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import Tracing

/// The instrument that begins spans of a tracer.
struct TracingInstrument: AuthInstrument {
  let tracer: any Tracer
  let includesKeys: Bool

  func currentContext() -> (any Sendable)? { ServiceContext.current }

  func begin(_ activity: AuthActivity, in context: (any Sendable)?) -> any AuthSpan {
    let subject = EventSubject(activity.subject)
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
    return TracedSpan(span: span, tracer: tracer, includesTexts: includesKeys)
  }
}

/// A span of a tracer.
private struct TracedSpan: AuthSpan {
  let span: any Span
  let tracer: any Tracer
  /// Whether sentences about failures, which can contain keys of objects, are added to the span.
  let includesTexts: Bool

  func run<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await ServiceContext.withValue(span.context) {
      do throws(Failure) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func record(_ event: AuthEvent) {
    switch event {
    case .signed(let signature):
      span.addEvent(SpanEvent(name: "signed", attributes: ["storage_auth.generation": "\(signature.generation)"]))
    case .retry(let retry):
      var attributes: SpanAttributes = ["storage_auth.attempt": .int64(Int64(retry.attempt))]
      if includesTexts { attributes["storage_auth.reason"] = retry.reason }
      span.addEvent(SpanEvent(name: "retry", attributes: attributes))
    case .skew(let skew):
      span.addEvent(SpanEvent(name: "clock skew", attributes: ["storage_auth.offset": "\(skew.offset)"]))
    default:
      break
    }
  }

  func inject(into fields: inout HTTPFields) {
    tracer.inject(span.context, into: &fields, using: FieldInjector())
  }

  func end(_ outcome: AuthActivity.Outcome) {
    span.attributes["http.response.status_code"] = outcome.status
    if let failure = outcome.failure {
      span.setStatus(SpanStatus(code: .error, message: includesTexts ? failure : nil))
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
