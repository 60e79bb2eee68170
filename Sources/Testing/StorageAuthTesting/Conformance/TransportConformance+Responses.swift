// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension TransportConformance {
  func checkRedirects(_ transport: Subject) async throws -> Int {
    let recording = Recording<WireRequest>()
    let statuses = [301, 302, 303, 307, 308]
    let locations = ["Location: /elsewhere\r\n", "Location: http://127.0.0.1:1/elsewhere\r\n"]
    let server = try server(recordingIn: recording) { request in
      let parts = request.path.words(between: "/").compactMap { Int(digits: $0) }
      guard parts.count == 2 else { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
      return "HTTP/1.1 \(parts[0]) Moved\r\n\(locations[parts[1]])Content-Length: 5\r\n\r\nmoved"
    }
    for status in statuses {
      for (method, index) in [(HTTPRequest.Method.get, 0), (.put, 1), (.post, 0)] {
        let response = try await response(transport, request(method, "/\(status)/\(index)", to: server))
        try require(response.status == status, "a redirect \(status) was answered with \(response.status)")
        try require(response.text == "moved", "the body of a redirect \(status) is lost")
      }
    }
    try require(recording.values.count == statuses.count * 3, "a redirect was followed")
    return statuses.count * 3
  }

  func checkContentEncoding(_ transport: Subject) async throws -> Int {
    let hello: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
    ]
    let encodings = ["gzip", "x-gzip", "GZIP", "deflate", "br", "zstd", "aws-chunked", "identity"]
    let server = try server { connection in
      while true {
        let encoding = try connection.readHead().path.dropFirst()
        try connection.send(
          "HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(hello.count)\r\n\r\n")
        try connection.send(hello)
      }
    }
    for encoding in encodings {
      switch try await exchange(transport, request(.get, "/\(encoding)", to: server)) {
      case .success(let response):
        try require(response.body == hello, "a body with the encoding \(encoding) was changed")
      case .failure(let error):
        guard encoding != "identity", let error = error as? TransportError, !error.isRetryable else {
          throw Violation("a body with the encoding \(encoding) failed")
        }
      }
    }
    return encodings.count
  }

  func checkFraming(_ transport: Subject) async throws -> Int {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let responses = [
      chunked + "5\r\nfirst\r\nA\r\n and\r\nthen\r\n0\r\n\r\n",
      chunked + "f;a=b\r\nfirst and\r\nthen\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\nfirst and\r\nthen",
    ]
    let server = try server { connection in
      while true {
        let index = Int(try connection.readHead().path.dropFirst()) ?? 0
        for byte in responses[index].utf8 { try connection.send([byte]) }
        if !responses[index].hasPrefix(chunked) { return }
      }
    }
    for index in responses.indices {
      let response = try await response(transport, request(.get, "/\(index)", to: server))
      try require(response.text == "first and\r\nthen", "the body of response \(index + 1) is \(response.text)")
    }
    return responses.count
  }

  func checkTrailer(_ transport: Subject) async throws -> Int {
    let server = try server { _ in
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nETag: \"1\"\r\nExpires: 0\r\n\r\n"
    }
    for _ in 0..<2 {
      let response = try await response(transport, request(to: server))
      try require(response.text == "ok", "the body is \(response.text)")
    }
    return 2
  }

  func checkCookies(_ transport: Subject) async throws -> Int {
    let recording = Recording<WireRequest>()
    let server = try server(recordingIn: recording) { _ in
      "HTTP/1.1 200 OK\r\nSet-Cookie: session=1; Path=/; Max-Age=3600\r\nContent-Length: 0\r\n\r\n"
    }
    for _ in 0..<3 { _ = try await response(transport, request(to: server)) }
    let cookies = recording.values.flatMap { $0.values("cookie") }
    try require(cookies.isEmpty, "a cookie was sent with a later request")
    return 3
  }

  func checkCache(_ transport: Subject) async throws -> Int {
    let recording = Recording<WireRequest>()
    let server = try server(recordingIn: recording) { _ in
      "HTTP/1.1 200 OK\r\nCache-Control: public, max-age=3600\r\nETag: \"1\"\r\nContent-Length: 2\r\n\r\nok"
    }
    for _ in 0..<3 { _ = try await response(transport, request(to: server)) }
    try require(recording.values.count == 3, "3 requests were sent \(recording.values.count) times")
    let conditions = recording.values.flatMap { $0.values("if-none-match") }
    try require(conditions.isEmpty, "a later request has a condition")
    return 3
  }

  func checkChallenge(_ transport: Subject) async throws -> Int {
    let digest = "Digest realm=\"node\", nonce=\"1\", qop=\"auth\""
    let challenges = ["Basic realm=\"node\"", digest, "Bearer", "Negotiate"]
    let recording = Recording<WireRequest>()
    let server = try server(recordingIn: recording) { request in
      let challenge = challenges[Int(request.path.dropFirst()) ?? 0]
      return "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 6\r\n\r\ndenied"
    }
    for index in challenges.indices {
      for method in [HTTPRequest.Method.get, .put] {
        var request = request(method, "/\(index)", to: server)
        request.headerFields[.authorization] = "Basic aWQ6c2VjcmV0"
        let response = try await response(transport, request)
        try require(response.status == 401 && response.text == "denied", "\(challenges[index]): the response is lost")
      }
    }
    try require(recording.values.count == challenges.count * 2, "a request with a challenge was repeated")
    return challenges.count * 2
  }

  func checkHead(_ transport: Subject) async throws -> Int {
    let server = try server { _ in "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nETag: \"1\"\r\n\r\n" }
    for _ in 0..<3 {
      let response = try await response(transport, request(.head, to: server))
      let length = response.head.headerFields[.contentLength]
      try require(length == "1000000", "the response has the Content-Length \(length ?? "nil")")
      try require(response.head.headerFields[.eTag] == "\"1\"", "the response lacks its ETag")
      try require(response.body.isEmpty, "the body has \(response.body.count) bytes")
    }
    return 3
  }

  func checkBodilessStatus(_ transport: Subject) async throws -> Int {
    let heads = [
      "204 No Content\r\n", "304 Not Modified\r\nETag: \"1\"\r\n", "304 Not Modified\r\nContent-Length: 5\r\n",
      "304 Not Modified\r\nContent-Encoding: gzip\r\n", "200 OK\r\nContent-Length: 0\r\n",
    ]
    let server = try server { request in "HTTP/1.1 \(heads[Int(request.path.dropFirst()) ?? 0])\r\n" }
    for (index, head) in heads.enumerated() {
      let response = try await response(transport, request(.get, "/\(index)", to: server))
      try require(head.hasPrefix("\(response.status)"), "\(head.prefix(3)) was returned as \(response.status)")
      try require(response.body.isEmpty, "the body of \(head.prefix(3)) has \(response.body.count) bytes")
    }
    return heads.count
  }

  func checkInformational(_ transport: Subject) async throws -> Int {
    let server = try server { _ in
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    }
    for body in [HTTPBody.none, .bytes([1, 2, 3]), TestBody(length: 100_000).body] {
      let method: HTTPRequest.Method = body.length > 0 ? .put : .get
      let response = try await response(transport, request(method, to: server, body: body), body: body)
      try require(response.status == 200 && response.text == "ok", "the status is \(response.status)")
      let link = HTTPField.Name("Link").flatMap { response.head.headerFields[$0] }
      try require(link == nil, "the final response has a field of an informational one")
    }
    return 3
  }
}
