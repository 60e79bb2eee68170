// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the parser and the encoder of ascp's management frames.
final class ManagementFrameTests: XCTestCase {
  private func frames(_ text: String) -> [ManagementFrameParser.Item] {
    var parser = ManagementFrameParser()
    return parser.feed(text.utf8) + [parser.finish()].compactMap { $0 }
  }

  private func frame(_ text: String) throws -> ManagementFrame {
    let items = frames(text)
    guard items.count == 1, case .frame(let frame)? = items.first else {
      throw AsperaError(.failed, "\(items)", remedy: text)
    }
    return frame
  }

  func testFramesOfTheVectorsAreParsed() throws {
    let block = try SpecificationVectors("management_frames").block
    for source in ["from_ibm_cos_java_sdk", "observed_ascp_3_9_0"] {
      let vectors = try XCTUnwrap(block[source]?["frames"]?.array)
      XCTAssertFalse(vectors.isEmpty)
      for vector in vectors {
        let text = try XCTUnwrap(vector["text"]?.string)
        let frame = try frame(text)
        XCTAssertEqual(frame.kind?.rawValue, vector["type"]?.string)
        XCTAssertEqual(frame.code, vector["code"]?.integer)
        if let expected = vector["description"]?.string { XCTAssertEqual(frame.errorDescription, expected) }
        if let expected = vector["session_id"]?.string { XCTAssertEqual(frame["SessionId"], expected) }
        XCTAssertEqual(frame.version, 2)
        XCTAssertEqual(frame.text, text)
      }
    }
  }

  func testSessionFrameDoesNotProveAuthenticationAndValuesAreExact() throws {
    let vectors = try XCTUnwrap(
      SpecificationVectors("management_frames").block["observed_ascp_3_9_0"]?["frames"]?.array)
    let observed = try vectors.map { try frame(try XCTUnwrap($0["text"]?.string)) }
    XCTAssertEqual(observed.map(\.kind), [.initial, .session, .error])
    XCTAssertEqual(observed.map(\.provesAuthentication), [false, false, false])
    XCTAssertEqual(observed.map(\.failureClass), [nil, nil, .account])
    XCTAssertEqual(observed[1]["RateCap"], "18446744073709551")
    XCTAssertEqual(observed[1]["Encryption"], "Yes")
    for (text, proves) in [("STATS", true), ("NOTIFICATION", true), ("DONE", true), ("DONE\nCode: 34", false)] {
      XCTAssertEqual(try frame("FASPMGR 2\nType: \(text)\n\n").provesAuthentication, proves, text)
    }
  }

  func testFieldNamesAreCaseInsensitive() throws {
    let mapping = try SpecificationVectors("management_frames").block["name_mapping"]
    let fields = try XCTUnwrap(mapping?["in"]?.object)
    let text = fields.map { "\($0.name): \($0.value.string ?? "")\n" }.joined()
    let frame = try frame("FASPMGR 2\n\(text)\n")
    XCTAssertEqual(frame.integer("BytesCont"), Int64(1))
    XCTAssertEqual(frame.integer("ElapsedUsec"), Int64(10))
    XCTAssertEqual(frame["encryption"], "Yes")
    XCTAssertEqual(frame["ExtraCreatePolicy"], "none")
  }

  func testEdgeCasesOfTheVectorsAreToleratedOrReported() throws {
    let cases = try XCTUnwrap(SpecificationVectors("management_frames").block["parser_edge_cases"]?.array)
    let texts = try cases.map { try XCTUnwrap($0["text"]?.string) }
    XCTAssertEqual(texts.count, 4)
    XCTAssertEqual(try frame(texts[0]).version, 4)
    XCTAssertEqual(frames(texts[1]), [.problem(.missingHeader)])
    XCTAssertEqual(try frame(texts[2]).errorDescription, "a: b: c")
    XCTAssertEqual(try frame(texts[3]).kind, .initial)
  }

  func testCommandsOfTheVectorsAreEncoded() throws {
    let cases = try XCTUnwrap(SpecificationVectors("management_frames").block["commands"]?["cases"]?.array)
    let written = try [
      ManagementFrame.start(source: "/a b.txt", destination: "/up/a b.txt"), .finish,
      .command(.init(rawValue: "RATE"), [("Rate", "5000")]),
    ]
    XCTAssertEqual(written.map(\.text), cases.compactMap { $0["text"]?.string })
    XCTAssertEqual(ManagementFrame.cancel.text, "FASPMGR 2\nType: CANCEL\n\n")
  }

  func testCommandWithALineBreakIsRejected() {
    for path in ["a\nType: DONE", "a\r", "a\0"] {
      XCTAssertThrowsError(try ManagementFrame.start(source: path))
      XCTAssertThrowsError(try ManagementFrame.start(source: "a", destination: path))
      XCTAssertThrowsError(try ManagementFrame.command(.init(rawValue: path)))
      XCTAssertThrowsError(try ManagementFrame.command(.start, [(path, "1")]))
    }
    XCTAssertThrowsError(try ManagementFrame.command(.start, [("a: b", "1")]))
    XCTAssertThrowsError(try ManagementFrame.command(.start, [("", "1")]))
  }

  func testFramesSplitAtAnyByteAreParsedAlike() {
    let text =
      "x\nFASPMGR 12\r\nType: STATS\r\nFile: é/b\nTransferBytes: 7\nStartByte: 3\n\nFASPMGR 2\nbad\nA: b\n\nType"
    let whole = frames(text)
    XCTAssertEqual(whole.count, 4, "\(whole)")
    for cut in 0...text.utf8.count {
      var parser = ManagementFrameParser()
      let bytes = Array(text.utf8)
      let items = parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...]) + [parser.finish()].compactMap { $0 }
      XCTAssertEqual(items, whole, "cut at \(cut)")
    }
  }

  func testProblemsAreReportedOnceAndTheNextFrameIsParsed() {
    let good = "FASPMGR 2\nType: DONE\n\n"
    let long = String(repeating: "x", count: ManagementFrameParser.lineByteLimit + 1)
    let field = "A: \(String(repeating: "x", count: 60_000))\n"
    let broken: [(String, [ManagementFrameParser.Problem])] = [
      ("noise\nmore noise\n\n", [.missingHeader]), ("FASPMGR x\nType: DONE\n\n", [.invalidHeader]),
      ("FASPMGR \nType: DONE\n\n", [.invalidHeader]), ("FASPMGR 2\nno colon\nType: DONE\n\n", [.invalidField]),
      ("FASPMGR 2\n: v\n\n", [.invalidField]), ("FASPMGR 2\na:b\n\n", [.invalidField]),
      ("\(long)\n\n", [.lineTooLong]), ("FASPMGR 2\nA: \(long)\n\n", [.lineTooLong]),
      ("FASPMGR 2\n\(String(repeating: field, count: 5))\n", [.frameTooLarge]), ("FASPMGR 2\nType: DONE\n", [.cutOff]),
      ("FASPMGR 99999999999999999999\n\n", [.invalidHeader]),
    ]
    for (text, problems) in broken {
      let items = frames(text + good)
      XCTAssertEqual(items.dropLast(), problems.map { .problem($0) }[...], "\(text.prefix(40))")
      guard case .frame(let frame)? = items.last else { return XCTFail("\(text.prefix(40)): \(items)") }
      XCTAssertEqual(frame.text, good)
    }
  }

  func testFirstOfTwoEqualFieldsIsUsed() throws {
    XCTAssertEqual(try frame("FASPMGR 2\nType: STATS\nFile: a\nType: DONE\n\n").kind, .statistics)
  }

  func testByteCountsIncludeTheStartByte() throws {
    let stats = try frame("FASPMGR 2\nType: STATS\nTransferBytes: 7\nStartByte: 3\nSize: 20\nFile: /a\n\n")
    XCTAssertEqual(stats.transferredByteCount, 10)
    XCTAssertEqual(stats.fileByteCount, 20)
    XCTAssertEqual(stats.filePath, "/a")
    XCTAssertEqual(try frame("FASPMGR 2\nType: NOTIFICATION\nPreTransferBytes: 9\n\n").totalByteCount, 9)
    XCTAssertNil(try frame("FASPMGR 2\nTransferBytes: 9223372036854775807\nStartByte: 1\n\n").transferredByteCount)
    XCTAssertNil(try frame("FASPMGR 2\nType: STATS\n\n").transferredByteCount)
  }

  func testPasswordAndTokenAreRedacted() throws {
    let frame = try frame(
      "FASPMGR 2\nType: START\nPassword: hidden-one\nToken: hidden-two\nOther: hidden-three\nCode: 5\n\n")
    XCTAssertEqual(DisplayedTexts(of: frame).containing(["hidden"]), [])
    XCTAssertEqual(DisplayedTexts(of: ManagementFrameParser.Item.frame(frame)).containing(["hidden"]), [])
    XCTAssertEqual(frame.description, #"ManagementFrame(START, Code: 5, others: ["Password", "Token", "Other"])"#)
  }
}
