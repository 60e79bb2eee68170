internal import HTTPTypes
public import StorageAuth

extension HTTPStreamingResponse {
  /// An answer with a body of bytes.
  ///
  /// - Parameters:
  ///   - code: The status.
  ///   - body: The body; `Content-Length` says how long it is.
  ///   - headers: Further headers by their names; a name that cannot stand in a request is left out.
  public static func status(_ code: Int, _ body: [UInt8] = [], headers: [String: String] = [:]) -> HTTPStreamingResponse
  {
    var response = HTTPResponse(status: .init(code: code))
    response.headerFields[.contentLength] = "\(body.count)"
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { response.headerFields[name] = value }
    }
    return HTTPStreamingResponse(response: response, body: ByteStream(body))
  }

  /// An answer of text.
  public static func text(
    _ text: String, status code: Int = 200, type: String = "text/plain; charset=utf-8", headers: [String: String] = [:]
  ) -> HTTPStreamingResponse {
    status(code, Array(text.utf8), headers: ["Content-Type": type].merging(headers) { $1 })
  }

  /// An answer of JSON.
  public static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> HTTPStreamingResponse {
    self.text(text, status: status, type: "application/json", headers: headers)
  }

  /// An answer of XML.
  public static func xml(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> HTTPStreamingResponse {
    self.text(text, status: status, type: "application/xml", headers: headers)
  }
}

extension HTTPStreamingResponse {
  /// The same answer, whose connection is lost in the middle of the body.
  ///
  /// - Parameter count: How many bytes of the body arrive.
  public func cut(afterBytes count: Int) -> HTTPStreamingResponse {
    var copy = self
    let body = body
    copy.body = ByteStream {
      var left = count
      let iterator = body.makeAsyncIterator()
      return {
        guard left > 0, let chunk = try await iterator.next() else {
          throw TransportError(
            .connectionLost, "The connection ended before the answer did.", remedy: "Send the request again.")
        }
        let part = chunk.prefix(left)
        left -= part.count
        return Array(part)
      }
    }
    return copy
  }

  /// The same answer, whose body arrives in chunks with a pause before each.
  ///
  /// - Parameters:
  ///   - pause: How long each chunk lets wait, by `time`.
  ///   - size: How many bytes a chunk has, at most; at least one.
  ///   - time: Whose clock the pauses are on; with ``SteppedTime`` a test decides when they are over.
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

  /// The same answer, later.
  ///
  /// - Parameters:
  ///   - delay: How long the head lets wait, by `time`.
  ///   - time: Whose clock the delay is on.
  /// - Throws: `TransportError` with the code `cancelled` if the task is cancelled meanwhile.
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
