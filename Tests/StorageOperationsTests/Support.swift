// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import InMemoryTracing
import StorageAuth

/// The permanent key of the tests.
let key = AccessKey(id: "LTAIobservability", secret: "observability-secret")

/// A temporary key whose lifetime is over, though this machine does not know.
let expiredKey = AccessKey(id: "STS.over", secret: "temporary-secret", sessionToken: "temporary-token")

extension AccessKey {
  /// The same key, as the service knows it: with a time of expiration that has passed.
  var ended: AccessKey {
    AccessKey(
      id: id, secret: Secret("temporary-secret"), sessionToken: sessionToken,
      expiration: .now.advanced(by: .seconds(-60)))
  }
}

extension HTTPField.Name {
  /// The names of the fields in which the tracer of the tests passes a trace on.
  static var traceID: HTTPField.Name { known(InMemoryTracer.traceIDKey) }
  static var spanID: HTTPField.Name { known(InMemoryTracer.spanIDKey) }

  private static func known(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no name of a field") }
    return name
  }
}

/// Values that several tasks collect.
final class Collected<Value: Sendable>: Sendable {
  private let storage = Lock<[Value]>([])

  var values: [Value] { storage.withLock { $0 } }

  func append(_ value: Value) {
    storage.withLock { $0.append(value) }
  }
}

/// A transport that keeps the heads of its requests.
final class RecordingTransport: HTTPTransport {
  private let base: any HTTPTransport
  private let heads = Collected<HTTPRequest>()

  init(_ base: any HTTPTransport) {
    self.base = base
  }

  var requests: [HTTPRequest] { heads.values }

  func send(_ request: HTTPRequest, body: HTTPBody) async throws(TransportError) -> HTTPStreamingResponse {
    heads.append(request)
    return try await base.send(request, body: body)
  }
}

extension FinishedInMemorySpan {
  /// The position of the span in the order in which the spans began.
  var spanNumber: Int { spanID.split(separator: "-").last.flatMap { Int($0) } ?? 0 }
}
