// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

@testable import StorageAuthTesting

extension TransportMutants {
  static func response(_ rule: TransportRule) -> TwistedTransport.Twist? {
    switch rule {
    case .lazyDownload:
      { base, request, body throws(TransportError) in
        let response = try await base.send(request, body: body)
        let length = response.response.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        return length > 16 << 20 ? try await response.buffered() : response
      }
    case .redirects:
      { base, request, body throws(TransportError) in
        let response = try await base.send(request, body: body)
        guard let location = response.response.headerFields[.location], location.hasPrefix("/") else { return response }
        var next = request
        next.path = location
        return try await base.send(next, body: body)
      }
    case .contentEncoding:
      { base, request, body throws(TransportError) in
        let response = try await base.send(request, body: body)
        let head = response.response
        let isCompressed = head.status.code == 200 && head.headerFields[.contentEncoding] == "gzip"
        return isCompressed ? response.with(ByteStream(Array("hello".utf8))) : response
      }
    case .framing:
      { base, request, body throws(TransportError) in
        let response = try await base.send(request, body: body)
        let (status, fields) = (response.response.status.code, response.response.headerFields)
        guard request.method == .get, status == 200 else { return response }
        if fields[.contentLength] == nil, fields[.transferEncoding] == nil { throw lost }
        return response
      }
    case .cookies:
      keeping {
        $0.headerFields[.setCookie]
      } adding: {
        $0.headerFields[.cookie] = $1
      }
    case .cache: caching()
    case .challenge:
      { base, request, body throws(TransportError) in
        let response = try await base.send(request, body: body)
        return response.response.status.code == 401 ? try await base.send(request, body: body) : response
      }
    case .head:
      { base, request, body throws(TransportError) in
        var response = try await base.send(request, body: body)
        if request.method == .head { response.response.headerFields[.contentLength] = nil }
        return response
      }
    case .bodilessStatus:
      { base, request, body throws(TransportError) in
        let response = try await base.send(request, body: body)
        guard response.response.status.code == 304 else { return response }
        if response.response.headerFields[.contentLength] != nil { throw lost }
        return response
      }
    default: nil
    }
  }

  /// Sends a value of one response with the next request.
  private static func keeping(
    _ value: @escaping @Sendable (HTTPResponse) -> String?,
    adding: @escaping @Sendable (inout HTTPRequest, String) -> Void
  ) -> TwistedTransport.Twist {
    let kept = Lock<String?>(nil)
    return { base, request, body throws(TransportError) in
      var request = request
      if let value = kept.withLock({ $0 }) { adding(&request, value) }
      let response = try await base.send(request, body: body)
      if let value = value(response.response) { kept.withLock { $0 = value } }
      return response
    }
  }

  /// Returns stored responses.
  private static func caching() -> TwistedTransport.Twist {
    let stored = Lock<HTTPStreamingResponse?>(nil)
    return { base, request, body throws(TransportError) in
      if let response = stored.withLock({ $0 }) { return response }
      let response = try await base.send(request, body: body)
      guard response.response.headerFields[.cacheControl] != nil else { return response }
      let copy = try await response.buffered()
      stored.withLock { $0 = copy }
      return copy
    }
  }

  /// Changes the errors of requests, and of their bodies.
  private static func failing(
    _ change: @escaping @Sendable (TransportError, HTTPRequest) -> TransportError
  ) -> TwistedTransport.Twist {
    { base, request, body throws(TransportError) in
      do throws(TransportError) {
        let response = try await base.send(request, body: body)
        let stream = response.body
        return response.with(
          ByteStream {
            let iterator = stream.makeAsyncIterator()
            return {
              do { return try await iterator.next() } catch let error as TransportError { throw change(error, request) }
            }
          })
      } catch {
        throw change(error, request)
      }
    }
  }

  /// Returns an error with another code if its message contains a text.
  private static func recoded(_ text: String, _ code: TransportError.Code) -> TwistedTransport.Twist {
    failing { error, _ in
      error.message.contains(text) ? TransportError(code, error.message, remedy: error.remedy) : error
    }
  }

  static func ending(_ rule: TransportRule) -> TwistedTransport.Twist? {
    switch rule {
    case .truncation:
      { base, request, body throws(TransportError) in
        let response = try await base.send(request, body: body)
        let stream = response.body
        return response.with(
          ByteStream {
            let iterator = stream.makeAsyncIterator()
            return {
              do { return try await iterator.next() } catch let error as TransportError {
                if error.message.contains("ended early") { return nil }
                throw error
              }
            }
          })
      }
    case .refusal: recoded("errno", .connectionLost)
    case .loss:
      { base, request, body throws(TransportError) in
        do throws(TransportError) { return try await base.send(request, body: body) } catch {
          guard request.method == .get, error.message.contains("(no response)") else { throw error }
          throw TransportError(.connectionFailed, error.message, remedy: error.remedy)
        }
      }
    case .cancellation: recoded("(cancelled)", .connectionLost)
    case .recovery: breaking()
    case .repetition:
      { base, request, body throws(TransportError) in
        do throws(TransportError) { return try await base.send(request, body: body) } catch {
          guard request.method == .post, error.code == .connectionLost else { throw error }
          return try await base.send(request, body: body)
        }
      }
    case .idleLimit: recoded("(no bytes)", .connectionLost)
    case .concurrency: queueing()
    case .release: retaining()
    case .secrecy:
      // Only the error of a connection that the server resets shows the query.
      failing { error, request in
        guard request.path?.hasPrefix("/reset?") == true else { return error }
        return TransportError(error.code, error.message + " " + (request.path ?? ""), remedy: error.remedy)
      }
    default: nil
    }
  }

  /// Rejects all requests after a malformed response.
  private static func breaking() -> TwistedTransport.Twist {
    let isBroken = Lock(false)
    return { base, request, body throws(TransportError) in
      if isBroken.withLock({ $0 }) { throw lost }
      do throws(TransportError) { return try await base.send(request, body: body) } catch {
        if error.message.contains("malformed") { isBroken.withLock { $0 = true } }
        throw error
      }
    }
  }

  /// Sends one request at a time.
  private static func queueing() -> TwistedTransport.Twist {
    let last = Lock<Tally?>(nil)
    return { base, request, body throws(TransportError) in
      let turn = Tally()
      let previous = last.withLock { last in
        defer { last = turn }
        return last
      }
      await previous?.wait(for: 1)
      defer { turn.add(1) }
      return try await base.send(request, body: body)
    }
  }

  /// Retains all responses.
  private static func retaining() -> TwistedTransport.Twist {
    let retained = Lock<[HTTPStreamingResponse]>([])
    return { base, request, body throws(TransportError) in
      let response = try await base.send(request, body: body)
      retained.withLock { $0.append(response) }
      return response
    }
  }
}
