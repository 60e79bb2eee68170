// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The faults that are planned for one request, which are injected before and after its operation, and its record.
struct Exchange: Sendable {
  let plan: FaultPlan
  /// The record of the request, or `nil` if the server is not observed.
  let record: RequestRecord?
  let sleep: @Sendable @concurrent (Duration) async throws -> Void

  /// Injects the faults that come before the operation of the request.
  ///
  /// - Returns: The status of an error response that replaces the operation, or `nil` to carry out the operation.
  /// - Throws: ``ConnectionFault`` if the connection must close without a response.
  func begin() async throws -> Int? {
    if plan.delayBefore > .zero { try await sleep(plan.delayBefore) }
    return try failure(in: .before)
  }

  /// Injects the faults that come after the operation of the request.
  ///
  /// - Parameter answer: The response of the operation. Its document is truncated if the plan contains a truncation.
  /// - Returns: The status of an error response that replaces `answer`, or `nil` to send `answer`.
  /// - Throws: ``ConnectionFault`` if the connection must close without a response.
  func end(_ answer: inout Answer) async throws -> Int? {
    if plan.delayAfter > .zero { try await sleep(plan.delayAfter) }
    if plan.main?.kind == .malformed, case .bytes(let document) = answer.body {
      answer.body = .bytes(Array(document.prefix(document.count / 2)))
    }
    return try failure(in: .after)
  }

  private func failure(in phase: LocalCloud.Fault.Phase) throws -> Int? {
    guard let fault = plan.main, fault.phase == phase else { return nil }
    switch fault.kind {
    case .serverError(let status):
      record?.injectedFault()
      return status
    case .disconnect: throw ConnectionFault()
    case .delay, .stall, .cut, .malformed: return nil
    }
  }
}

/// An error that makes the server close the connection without further bytes, because of an injected fault.
struct ConnectionFault: Error {}
