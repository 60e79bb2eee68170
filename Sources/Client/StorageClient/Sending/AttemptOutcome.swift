// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The record of one attempt to send a request, for its event and its span.
struct AttemptRecord {
  let activity: AuthActivity
  /// The uptime at which the request was passed to the transport, or `nil` if it was not.
  var start: Duration?
  /// The status code of the response, or `nil` as long as there is none.
  var status: Int?

  init(_ subject: String, number: Int) {
    activity = AuthActivity(.attempt, subject, attempt: number)
  }

  /// Returns the event for the end of the attempt, or `nil` if the request was not sent.
  func event(of outcome: Refusal.Outcome<some Any>, at uptime: Duration) -> AuthEvent.Request? {
    guard let start, let number = activity.attempt else { return nil }
    return AuthEvent.Request(
      subject: activity.subject, attempt: number, status: status, failure: outcome.failure?.kind,
      duration: uptime - start)
  }
}

extension Refusal.Outcome {
  /// The kind of the attempt's failure, such as `accessDenied`, with a description, or `nil` if the attempt succeeded.
  fileprivate var failure: (kind: String, sentence: String)? {
    switch self {
    case .done: nil
    case .refused(let refusal): ("\(refusal.error.kind)", "\(refusal.error)")
    case .lost(let error): ("\(error.code)", "\(error)")
    case .unsigned(let error): ("\(error.code)", "\(error)")
    }
  }
}

extension AuthActivity.Outcome {
  /// Creates the outcome of an attempt, which fails even if another attempt follows.
  init<Value>(ofAttempt result: Result<Refusal.Outcome<Value>, any Error>, status: Int?) {
    if case .success(let outcome) = result {
      self.init(status: status, failure: outcome.failure?.sentence)
    } else {
      self.init(of: result)
      self.status = status
    }
  }
}
