// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// An instrument that measures operations, their attempts and credential refreshes as spans of a trace.
///
/// `StorageTracing` of the module StorageOperations is an instrument for swift-distributed-tracing. An instrument for
/// another tracing system is installed with ``EventHub/install(_:)``.
public protocol AuthInstrument: Sendable {
  /// Returns the trace context of the current task, in the instrument's own type, or `nil` if there is none.
  ///
  /// A credential refresh runs on a separate task, and continues the trace of the caller that caused it.
  func currentContext() -> (any Sendable)?

  /// Begins a span.
  ///
  /// - Parameters:
  ///   - activity: The activity to measure.
  ///   - context: The trace context that contains the span, from ``currentContext()``, or `nil` for a new trace.
  /// - Returns: The span, which is ended exactly once.
  func begin(_ activity: AuthActivity, in context: (any Sendable)?) -> any AuthSpan
}

/// A span of a trace, which measures one activity.
public protocol AuthSpan: Sendable {
  /// Runs a function with this span as the trace context of the current task.
  ///
  /// - Parameter body: The function, which runs on the caller's actor.
  /// - Throws: The error of the function.
  func run<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value

  /// Adds an event, such as a retry, that occurred during the span to the span.
  func record(_ event: AuthEvent)
  /// Adds the fields that continue the trace in another process to the headers of a request to the app's own server.
  func inject(into fields: inout HTTPFields)
  /// Ends the span with the result of the measured activity.
  func end(_ outcome: AuthActivity.Outcome)
}

/// An activity that an instrument measures: an operation, an attempt or a credential refresh.
public struct AuthActivity: Sendable, Hashable {
  /// The kind of an activity; later versions may add kinds, so a `switch` needs a `default` case.
  public enum Kind: String, Sendable, Hashable {
    /// An operation of a client or a transfer queue, with all its attempts.
    case operation
    /// One attempt to send a request, or to run a transfer session.
    case attempt
    /// A request to a credential provider.
    case refresh
  }

  /// The result of an activity.
  public struct Outcome: Sendable, Hashable {
    /// The status code of the response, or `nil` if the activity is not one request or has no response.
    public var status: Int?
    /// A sentence that describes why the activity failed, without secrets, or `nil` if it succeeded.
    public var failure: String?

    /// Creates the result of an activity; the parameters are the properties.
    public init(status: Int? = nil, failure: String? = nil) {
      self.status = status
      self.failure = failure
    }
  }

  /// The kind of the activity.
  public var kind: Kind
  /// The operation with its location, such as `upload oss://photos/cat.jpg`, or the name of the credential source.
  public var subject: String
  /// The number of the attempt, starting at 1, or `nil` if the activity is not an attempt.
  public var attempt: Int?

  /// Creates a description of an activity; the parameters are the properties.
  public init(_ kind: Kind, _ subject: String, attempt: Int? = nil) {
    self.kind = kind
    self.subject = subject
    self.attempt = attempt
  }
}
