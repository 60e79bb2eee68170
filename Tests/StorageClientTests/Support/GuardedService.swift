// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import HTTPTypes
import StorageAuth
import StorageClient

/// A service without a network that checks time and access keys, but no signatures.
final class GuardedService: Sendable {
  /// The format of the service's errors.
  enum Voice: Sendable {
    case oss, cos, s3
    /// An empty response with only a `Date` header.
    case silent
  }

  private struct State {
    var accepted: Set<String>
    var code = "SecurityTokenExpired"
  }

  let time: any SigningClock
  private let voice: Voice
  private let tolerance: Duration
  private let extra: [String: String]
  private let state: Lock<State>

  init(
    time: any SigningClock, accepting accepted: Set<String> = [key.id.string], voice: Voice = .oss,
    tolerance: Duration = .seconds(900), extra: [String: String] = [:]
  ) {
    self.time = time
    self.voice = voice
    self.tolerance = tolerance
    self.extra = extra
    state = Lock(State(accepted: accepted))
  }

  /// Changes which keys are valid, and the error code for the others.
  func accept(_ accepted: Set<String>, others code: String = "SecurityTokenExpired") {
    state.withLock { $0 = State(accepted: accepted, code: code) }
  }

  @Sendable func answer(_ request: RecordingTransport.Recorded) async throws(TransportError) -> HTTPStreamingResponse {
    let now = time.now
    guard let (date, identity) = request.signature else { return refuse("AccessDenied", "Anonymous.", request, now) }
    let skew = date.duration(to: now)
    guard skew <= tolerance, skew >= .zero - tolerance else {
      return voice == .cos
        ? refuse("AccessDenied", "Request has expired", request, now)
        : refuse("RequestTimeTooSkewed", "Too far apart.", request, now)
    }
    let (isAccepted, code) = state.withLock { ($0.accepted.contains(identity), $0.code) }
    guard isAccepted else { return refuse(code, "No.", request, now) }
    return HTTPStreamingResponse(200, "", ["Date": now.httpDate, "ETag": "\"E\""])
  }

  private func refuse(
    _ code: String, _ message: String, _ request: RecordingTransport.Recorded, _ now: Timestamp
  ) -> HTTPStreamingResponse {
    let body = "<Error><Code>\(code)</Code><Message>\(message)</Message><ServerTime>\(now)</ServerTime></Error>"
    let isMute = request.method == .head || voice == .silent
    var headers = ["Date": now.httpDate].merging(extra) { _, extra in extra }
    if request.method == .head, voice == .oss { headers["x-oss-err"] = body.utf8.base64 }
    let isAboutToken = voice == .s3 && (code == "ExpiredToken" || code == "InvalidToken")
    return HTTPStreamingResponse(isAboutToken ? 400 : 403, isMute ? "" : body, headers)
  }
}

extension RecordingTransport.Recorded {
  /// The time and the access key ID of a signature of OSS V4, S3 or COS.
  fileprivate var signature: (Timestamp, String)? {
    guard let text = headers[.authorization] else { return nil }
    for name in ["x-oss-date", "x-amz-date"] {
      guard let date = headers[.init(name) ?? .date].flatMap({ Timestamp(iso8601Basic: $0) }) else { continue }
      return (date, String(text.split(separator: "=")[1].prefix { $0 != "/" }))
    }
    let fields = text.split(separator: "&").map { $0.split(separator: "=") }
    func field(_ name: String) -> Substring? { fields.first { $0.first == name[...] }?.last }
    guard let start = field("q-sign-time")?.split(separator: ";").first.flatMap({ Int64($0) }), let id = field("q-ak")
    else { return nil }
    return (Timestamp(unixSeconds: start), String(id))
  }
}

extension Sequence<UInt8> {
  /// The Base64 encoding of the bytes.
  var base64: String { Data(self).base64EncodedString() }
}
