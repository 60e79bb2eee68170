import HTTPTypes
import NIOCore
import NIOPosix
import StorageAuthServer
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
      for answers in [VerificationAnswers.Form.xml, .json] {
        let bench = try await VerifyingBench(service, self, answers: answers)
        let answer = try await exchange("HEAD /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", bench)
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 403 "), answer)
        XCTAssertTrue(answer.hasSuffix("\r\n\r\n"), answer)
        XCTAssertEqual(
          answer.lowercased().contains("\r\nx-oss-err: "), service != .cos && answers == .xml, answer)
      }
    }
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
