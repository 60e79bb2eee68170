// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A span that has begun and not ended, with the kind of the activity that it measures.
package struct ActiveSpan: Sendable {
  /// The innermost span of the current task, or `nil` if no instrument is installed.
  @TaskLocal package static var current: ActiveSpan?

  package let kind: AuthActivity.Kind
  private let span: any AuthSpan

  fileprivate init(_ activity: AuthActivity, _ instrument: any AuthInstrument, in context: (any Sendable)?) {
    kind = activity.kind
    span = instrument.begin(activity, in: context)
  }

  /// Adds the fields that continue the current task's trace in another process to a request to the app's own server.
  package static func inject(into fields: inout HTTPFields) { current?.span.inject(into: &fields) }

  /// Runs a function inside the span, without ending the span.
  package func run<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    let result = await Self.$current.withValue(self) {
      await Result.catching { () async throws(Failure) in try await span.run(body) }
    }
    return try result.get()
  }

  package func record(_ event: AuthEvent) { span.record(event) }
  package func end(_ outcome: AuthActivity.Outcome) { span.end(outcome) }
}

extension Optional<ActiveSpan> {
  /// Runs a function inside the span, without ending the span; without a span, only runs the function.
  package func run<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    guard let self else { return try await body() }
    return try await self.run(body)
  }

  /// Runs a function inside the span and ends the span with the outcome; without a span, only runs the function.
  package func measure<Value, Failure: Error>(
    _ body: () async throws(Failure) -> Value, outcome: (Result<Value, Failure>) -> AuthActivity.Outcome
  ) async throws(Failure) -> Value {
    guard let self else { return try await body() }
    let result = await Result.catching { () async throws(Failure) in try await self.run(body) }
    self.end(outcome(result))
    return try result.get()
  }
}

extension EventHub {
  /// The trace context of the current task, or `nil` without an instrument.
  package var traceContext: (any Sendable)? { instrument?.currentContext() }

  /// Begins a span in the current task's trace; the activity is created only if an instrument is installed.
  package func begin(_ activity: @autoclosure () -> AuthActivity) -> ActiveSpan? {
    instrument.map { ActiveSpan(activity(), $0, in: $0.currentContext()) }
  }

  /// Begins a span in a ``traceContext`` that was captured earlier, or returns `nil` if no instrument is installed.
  package func begin(_ activity: @autoclosure () -> AuthActivity, in context: (any Sendable)?) -> ActiveSpan? {
    instrument.map { ActiveSpan(activity(), $0, in: context) }
  }
}
