// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import LocalCloud
internal import StorageAuth

/// A request of a local cloud as the console shows it.
///
/// All strings are safe to show: control characters are escaped, and secrets are masked.
struct RequestReport: Sendable {
  private let request: LocalCloud.RequestEvent
  private let explanation: Explanation?

  /// Creates the report of a request, and explains its rejection if its signature was rejected.
  init(_ request: LocalCloud.RequestEvent) {
    self.request = request
    explanation = request.rejectedSignature.flatMap { Explanation($0) }
  }

  /// Returns the line of the list of requests.
  ///
  /// - Parameter number: The number of the request in the list.
  func summary(number: Int) -> JSONValue {
    func text(_ string: String?) -> JSONValue { string.map { .string($0.onOneLine) } ?? .null }
    func count(_ integer: Int64?) -> JSONValue { integer.map { .number(JSONNumber($0)) } ?? .null }
    let (seconds, attoseconds) = request.duration.components
    return [
      "n": .number(JSONNumber(number)), "time": .string(request.date.iso8601),
      "endpoint": .string(request.endpoint.rawValue), "method": text(request.method), "target": text(request.target),
      "bucket": text(request.bucket), "key": text(request.key), "keyID": text(request.accessKeyID?.string),
      "presigned": .bool(request.isPresigned), "authorization": .string(authorization), "scheme": text(scheme),
      "outcome": .string(request.outcome.rawValue), "status": count(request.status.map { Int64($0) }),
      "code": text(request.refusal?.code), "message": text(request.refusal?.message),
      "cause": text(explanation?.title),
      "microseconds": .number(JSONNumber(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)),
      "received": count(request.requestByteCount), "sent": .number(JSONNumber(request.responseByteCount)),
    ]
  }

  /// The explanation of the request's rejection, which is `null` for a request whose signature was not rejected.
  var detail: JSONValue { explanation?.json ?? .null }

  private var authorization: String {
    switch request.authorization {
    case .verified: "verified"
    case .anonymous: "anonymous"
    case .rejected: "rejected"
    case .other: "other"
    }
  }

  private var scheme: String? {
    if case .verified(let kind) = request.authorization { kind.rawValue } else { nil }
  }
}
