// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The facts about a request that become an event for the observers of the server.
final class RequestRecord: Sendable {
  private static let targetByteLimit = 4 * 1024
  private static let textByteLimit = 2 * 1024

  struct State {
    var endpoint = LocalCloud.Endpoint.oss
    var bucket, key: String?
    var accessKeyID: AccessKeyID?
    var isPresigned = false
    var authorization = LocalCloud.RequestEvent.Authorization.other
    var refusal: LocalCloud.RequestEvent.Refusal?
    var rejectedSignature: RejectedSignature?
    var isFaulty = false
    var response: HTTPResponse?
    var responseByteCount: Int64 = 0
  }

  private let head: HTTPRequest
  private let date: Timestamp
  private let start = ContinuousClock.now
  private let state = Lock(State())

  init(_ head: HTTPRequest, at date: Timestamp) {
    self.head = head
    self.date = date
  }

  func note(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  func noteTarget(bucket: String?, key: String?) {
    let (bucket, key) = (bucket?.shortened(to: Self.textByteLimit), key?.shortened(to: Self.textByteLimit))
    state.withLock { ($0.bucket, $0.key) = (bucket, key) }
  }

  func noteClaimedKey(_ id: AccessKeyID?, isPresigned: Bool) {
    let id = id.map { AccessKeyID($0.string.shortened(to: Self.textByteLimit)) }
    state.withLock { ($0.accessKeyID, $0.isPresigned) = (id, isPresigned) }
  }

  /// Records that the authorization is rejected; `signature` describes the one that was rejected.
  func noteRejection(_ signature: RejectedSignature? = nil) {
    state.withLock { ($0.authorization, $0.rejectedSignature) = (.rejected, signature) }
  }

  func noteRefusal(_ code: String, _ message: String) {
    let message = SecretMask.namedValues.applied(to: message).onOneLine.shortened(to: Self.textByteLimit)
    state.withLock { $0.refusal = LocalCloud.RequestEvent.Refusal(code: code, message: message) }
  }

  func event(number: Int, isComplete: Bool) -> LocalCloud.RequestEvent {
    let state = state.withLock { $0 }
    let outcome: LocalCloud.RequestEvent.Outcome =
      if state.isFaulty { .fault } else if !isComplete { .closed } else { state.refusal == nil ? .accepted : .refused }
    return LocalCloud.RequestEvent(
      number: number, date: date, endpoint: state.endpoint, method: head.method.rawValue,
      target: target(at: state.endpoint), bucket: state.bucket, key: state.key, accessKeyID: state.accessKeyID,
      isPresigned: state.isPresigned, authorization: state.authorization, outcome: outcome, refusal: state.refusal,
      status: state.response?.status.code, duration: start.duration(to: .now),
      requestByteCount: head.headerFields[.contentLength].flatMap { Int64(digits: $0) },
      responseByteCount: state.responseByteCount, rejectedSignature: state.rejectedSignature,
      requestHeaders: headers(
        [("host", head.authority ?? "")] + head.headerFields.map { ($0.name.canonicalName, $0.value) },
        at: state.endpoint),
      responseHeaders: headers(
        (state.response?.headerFields ?? [:]).map { ($0.name.rawName, $0.value) }, at: state.endpoint))
  }

  /// The headers without tokens, which are shown also of requests to other endpoints than storage services.
  private static let harmlessNames: Set<String> = [
    "host", "date", "server", "accept", "user-agent", "content-type", "content-length", "connection",
  ]
  private static let headerLimit = 100

  /// Returns headers as observers see them: tokens, cookies and the keys of encrypted objects are masked.
  private func headers(
    _ headers: [(name: String, value: String)], at endpoint: LocalCloud.Endpoint
  ) -> [LocalCloud.RequestEvent.Header] {
    headers.prefix(Self.headerLimit).map { name, value in
      let lowercased = name.asciiLowercased
      let isSecret = SecretName.isSecret(name) || lowercased.hasByteSuffix("cookie")
      guard isStorage(endpoint) ? !isSecret : Self.harmlessNames.contains(lowercased) else {
        return .init(name: name, value: Secret.mask)
      }
      return .init(name: name, value: SecretMask.namedValues.applied(to: value).shortened(to: Self.textByteLimit))
    }
  }

  private func isStorage(_ endpoint: LocalCloud.Endpoint) -> Bool {
    LocalCloud.Provider.allCases.contains { $0.service.endpoint == endpoint }
  }

  /// Returns the target of the request as observers see it.
  ///
  /// It has no queries of token services and applications, which can contain tokens under any name, and no names of
  /// connections in the paths of transfers, with which a transfer can be continued.
  private func target(at endpoint: LocalCloud.Endpoint) -> String {
    let target = head.path ?? ""
    let path = target.bytes(before: "?")
    var shown = String(path)
    if isStorage(endpoint) {
      shown = SecretMask.namedValues.applied(to: target)
    } else if endpoint == .transfer {
      let names = path.words(between: "/").enumerated().map { $0 == 1 ? Secret.mask : String($1) }
      shown = "/\(names.joined(separator: "/"))"
    }
    return shown.shortened(to: Self.targetByteLimit)
  }
}
