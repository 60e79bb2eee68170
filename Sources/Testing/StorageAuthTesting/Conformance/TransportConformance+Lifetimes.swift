// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import HTTPTypes
internal import StorageAuth

/// A moment at which a request is cancelled.
private enum Phase: String, CaseIterable {
  case beforeSending = "before sending"
  case duringUpload = "during the upload"
  case awaitingHead = "while waiting for the response"
  case readingBody = "while reading the body"
}

extension TransportConformance {
  func checkCancellation(_ transport: Subject) async throws -> Int {
    for phase in Phase.allCases {
      let (reached, ended) = (Recording<Bool>(), Recording<Bool>())
      let server = try server { connection in
        _ = try connection.readHead()
        if phase == .readingBody {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        } else {
          reached.add(true)
        }
        ended.add(connection.waitForEnd())
      }
      let body = phase == .duringUpload ? TestBody(length: 1 << 40).body : .none
      let call = Task { [request = request(phase == .duringUpload ? .put : .get, to: server, body: body)] in
        while phase == .beforeSending, !Task.isCancelled { await Task.yield() }
        do {
          for try await _ in try await transport.send(request, body: body).body { reached.add(true) }
          return nil as (any Error)?
        } catch {
          return error
        }
      }
      if phase != .beforeSending {
        let isReached = await reached.wait(for: 1, within: patience)
        try require(isReached, "a request to be cancelled \(phase.rawValue) did not arrive")
      }
      call.cancel()
      guard let error = await answered(within: patience, { await call.value }) else {
        throw Violation("a request cancelled \(phase.rawValue) did not end within \(patience)")
      }
      guard let error = error as? TransportError else {
        throw Violation("a request cancelled \(phase.rawValue) did not throw a TransportError")
      }
      try requireCode(.cancelled, error, "a request cancelled \(phase.rawValue)")
      guard phase != .beforeSending else { continue }
      let hasEnded = await ended.wait(for: 1, within: patience)
      try require(hasEnded && ended.values == [true], "cancelling \(phase.rawValue) did not close the connection")
    }
    return Phase.allCases.count
  }

  func checkConcurrency(_ transport: Subject) async throws -> Int {
    let arrived = Recording<Bool>()
    let gate = DispatchSemaphore(value: 0)
    let (concurrency, patience) = (concurrency, patience)
    let server = try server { connection in
      while true {
        let request = try connection.readHead()
        let count = try connection.readBody(request.contentLength)
        arrived.add(true)
        guard gate.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .success else { return }
        let text = "\(request.path) \(count)"
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
      }
    }
    let calls = (0..<concurrency).map { index in
      Task {
        let body = TestBody(length: index * 100).body
        let method: HTTPRequest.Method = index.isMultiple(of: 2) ? .get : .put
        let request = request(method, "/\(index)", to: server, body: method == .put ? body : .none)
        return try await response(transport, request, body: method == .put ? body : .none).text
      }
    }
    let areInFlight = await arrived.wait(for: concurrency, within: patience)
    for _ in calls { gate.signal() }
    for (index, call) in calls.enumerated() {
      let text = try await call.value
      let expected = "/\(index) \(index.isMultiple(of: 2) ? 0 : index * 100)"
      try require(text == expected, "request \(index) received the response to another one")
    }
    try require(areInFlight, "\(arrived.values.count) of \(concurrency) requests were in flight at the same time")
    return concurrency
  }

  func checkRelease(_ transport: Subject) async throws -> Int {
    for isPartlyRead in [false, true] {
      let ended = Recording<Bool>()
      let server = try server { connection in
        _ = try connection.readHead()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhalf")
        ended.add(connection.waitForEnd())
      }
      try await open(transport, request(to: server), isPartlyRead: isPartlyRead)
      let hasEnded = await ended.wait(for: 1, within: patience)
      try require(hasEnded && ended.values == [true], "the connection of a released response was not closed")
    }
    return 2
  }

  /// Opens a response, and releases it on return.
  private func open(_ transport: Subject, _ request: HTTPRequest, isPartlyRead: Bool) async throws {
    let response = try await answer(transport, request).get()
    if isPartlyRead {
      for try await _ in response.body { break }
    }
  }
}
