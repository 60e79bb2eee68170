// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

extension HTTPStreamingResponse {
  /// Returns a scripted response with the given status and body.
  ///
  /// - Parameters:
  ///   - code: The HTTP status code.
  ///   - body: The bytes of the body. `Content-Length` is set to their number.
  ///   - headers: Additional headers by name. An invalid header name is ignored.
  public static func status(_ code: Int, _ body: [UInt8] = [], headers: [String: String] = [:]) -> HTTPStreamingResponse
  {
    var response = HTTPResponse(status: .init(code: code))
    response.headerFields[.contentLength] = "\(body.count)"
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { response.headerFields[name] = value }
    }
    return HTTPStreamingResponse(response: response, body: ByteStream(body))
  }

  /// Returns a scripted response with a text body.
  ///
  /// - Parameters:
  ///   - text: The text of the body.
  ///   - code: The HTTP status code.
  ///   - type: The value of `Content-Type`.
  ///   - headers: Additional headers by name. An invalid header name is ignored.
  public static func text(
    _ text: String, status code: Int = 200, type: String = "text/plain; charset=utf-8", headers: [String: String] = [:]
  ) -> HTTPStreamingResponse {
    status(code, Array(text.utf8), headers: ["Content-Type": type].merging(headers) { $1 })
  }

  /// Returns a scripted response with a JSON body.
  ///
  /// - Parameters:
  ///   - text: The JSON document.
  ///   - status: The HTTP status code.
  ///   - headers: Additional headers by name. An invalid header name is ignored.
  public static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> HTTPStreamingResponse {
    self.text(text, status: status, type: "application/json", headers: headers)
  }

  /// Returns a scripted response with an XML body.
  ///
  /// - Parameters:
  ///   - text: The XML document.
  ///   - status: The HTTP status code.
  ///   - headers: Additional headers by name. An invalid header name is ignored.
  public static func xml(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> HTTPStreamingResponse {
    self.text(text, status: status, type: "application/xml", headers: headers)
  }
}

extension HTTPStreamingResponse {
  /// Returns a copy of the response whose connection is lost in the middle of the body.
  ///
  /// - Parameter count: The number of body bytes that arrive before the connection is lost.
  public func cut(afterBytes count: Int) -> HTTPStreamingResponse {
    var copy = self
    let body = body
    copy.body = ByteStream {
      var left = count
      let iterator = body.makeAsyncIterator()
      return {
        guard left > 0, let chunk = try await iterator.next() else {
          throw TransportError(
            .connectionLost, "The connection was lost during the response.", remedy: "Send the request again.")
        }
        let part = chunk.prefix(left)
        left -= part.count
        return Array(part)
      }
    }
    return copy
  }

  /// Returns a copy of the response whose body arrives in chunks, with a pause before each chunk.
  ///
  /// - Parameters:
  ///   - pause: The pause before each chunk, measured with the clock `time`.
  ///   - size: The maximum size of a chunk in bytes, at least 1.
  ///   - time: The clock that measures the pauses. With ``ManualClock``, a test controls when they end.
  public func slowed(by pause: Duration, chunk size: Int = 1_024, on time: any SigningClock) -> HTTPStreamingResponse {
    var copy = self
    let body = body
    copy.body = ByteStream {
      var rest: ArraySlice<UInt8> = []
      let iterator = body.makeAsyncIterator()
      return {
        while rest.isEmpty {
          guard let chunk = try await iterator.next() else { return nil }
          rest = chunk[...]
        }
        try await time.sleep(for: pause)
        defer { rest = rest.dropFirst(max(size, 1)) }
        return Array(rest.prefix(max(size, 1)))
      }
    }
    return copy
  }

  /// Returns the response after a delay.
  ///
  /// - Parameters:
  ///   - delay: The delay before the head of the response, measured with the clock `time`.
  ///   - time: The clock that measures the delay.
  /// - Throws: `TransportError` with the code `cancelled` if the task is cancelled during the delay.
  public func delayed(by delay: Duration, on time: any SigningClock) async throws(TransportError)
    -> HTTPStreamingResponse
  {
    do {
      try await time.sleep(for: delay)
    } catch {
      throw .cancelledWait
    }
    return self
  }
}
