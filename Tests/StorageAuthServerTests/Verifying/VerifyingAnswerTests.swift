import HTTPTypes
import NIOCore
import NIOPosix
import StorageAuthServer
import StorageCrypto
import XCTest

/// What the middleware says of what it refuses: on the wire, and to the log.
final class VerifyingAnswerTests: XCTestCase {
  func testAnIDInAURLMakesNoLineOfTheLog() async throws {
    for service in VerifyingBench.Service.allCases {
      let bench = try await VerifyingBench(service, self)
      var request = try bench.presigned(bench.request())
      request.path = request.path?.replacing("LTAItest", with: "LTAI%0Atest%1B%5B2K")
      let (status, text) = try await bench.send(request)
      XCTAssertEqual(status, 403, text)
      let written = bench.log.all.filter { $0.contains("LTAI") }
      XCTAssertEqual(written.count, 1, "\(service): \(bench.log.all)")
      for line in written {
        XCTAssertFalse(line.unicodeScalars.contains { $0.value < 0x20 }, "\(service): \(line)")
      }
    }
  }

  func testARefusedHEADHasNoBody() async throws {
    for service in VerifyingBench.Service.allCases {
      for answers in [RefusalFormat.xml, .json] {
        let bench = try await VerifyingBench(service, self, answers: answers)
        let answer = try await exchange("HEAD /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", bench)
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 403 "), answer)
        XCTAssertTrue(answer.hasSuffix("\r\n\r\n"), answer)
        XCTAssertEqual(
          answer.lowercased().contains("\r\nx-oss-err: "), service != .cos && answers == .xml, answer)
      }
    }
  }

  func testATargetThatIsNoPathIsRefused() async throws {
    for service in VerifyingBench.Service.allCases {
      let bench = try await VerifyingBench(service, self)
      let signed = try bench.signed(bench.request())
      let path = signed.path ?? ""
      let right = try await exchange(wire(signed, path), bench)
      XCTAssertTrue(right.hasPrefix("HTTP/1.1 200 "), right)
      let before = (bench.handled.value, bench.lookups.value)
      for target in ["*", "x\(path)", "/\(path)", "?\(path)", "\(bench.endpoint.authority)\(path)"] {
        let answer = try await exchange(wire(signed, target), bench)
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 403 "), "\(target): \(answer)")
      }
      let twice = wire(signed, path).replacing("\r\nHost:", with: "\r\nHost: other.example\r\nHost:")
      let answer = try await exchange(twice, bench)
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 403 "), answer)
      XCTAssertEqual(bench.handled.value, before.0, "no handler was reached")
    }
  }

  func testTheHashOfABodyHoldsHoweverItIsSent() async throws {
    for service in VerifyingBench.Service.allCases {
      for (name, chunks, status) in [
        ("right", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "200"), ("another", "5\r\njello\r\n0\r\n\r\n", "400"),
        ("longer", "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "400"), ("shorter", "4\r\nhell\r\n0\r\n\r\n", "400"),
        ("empty", "0\r\n\r\n", "400"),
      ] {
        let bench = try await VerifyingBench(service, self)
        var plain = try bench.request(.post, headers: [.contentMD5: MD5.hash(Array("hello".utf8)).base64])
        plain.headerFields[.transferEncoding] = "chunked"
        let signed = try bench.signed(plain)
        let answer = try await exchange(wire(signed, signed.path ?? "") + chunks, bench)
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 \(status) "), "\(service) \(name): \(answer)")
        XCTAssertEqual(bench.handled.value, name == "right" ? 1 : 0, "\(service) \(name)")
      }
    }
  }

  /// A request as it stands on the wire.
  private func wire(_ request: HTTPRequest, _ target: String) -> String {
    var lines = ["\(request.method) \(target) HTTP/1.1", "Host: \(request.authority ?? "")"]
    lines += request.headerFields.map { "\($0.name.rawName): \($0.value)" }
    return (lines + ["Connection: close", "", ""]).joined(separator: "\r\n")
  }

  private func exchange(_ text: String, _ bench: VerifyingBench) async throws -> String {
    let port = try XCTUnwrap(bench.endpoint.authority.split(separator: ":").last.flatMap { Int($0) })
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      var answer = ""
      for try await chunk in inbound { answer += String(buffer: chunk) }
      return answer
    }
  }
}
