// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests the command lines for specifications with each field of aspera-cli's schema alone and in combinations against
/// those of aspera-cli itself (`Vectors/ascp-commands.json`, created by `Tests/Interop/ascp_command_vectors.rb`).
final class AscpKnownCommandTests: XCTestCase {
  /// A command: its arguments, its environment and its list of files.
  private struct Outcome: Equatable {
    var arguments: [String]
    var environment: [String: String]
    var list: [String]
  }

  private func cases() throws -> [JSONValue] { try SpecificationVectors(file: "ascp-commands").cases() }

  private func options(_ vector: JSONValue) -> AscpOptions {
    var options = AscpOptions(tokenKeyPath: "<TOKEN_KEY>")
    options.certificatesPath = vector["options"]?["trusted_certs"]?[0]?.string
    options.isQuiet = vector["options"]?["quiet"]?.bool ?? true
    options.usesFileList = vector["options"]?["file_list"]?.bool ?? true
    options.webSocket = vector["options"]?["wss"]?.bool == false ? .whereNeeded : .whereOffered
    options.fallback = .init(certificatePath: "<FALLBACK_CERTIFICATE>", keyPath: "<FALLBACK_KEY>")
    return options
  }

  /// Returns the commands that this package creates for a vector: one, or one for each of several sessions.
  private func outcomes(_ vector: JSONValue) throws -> [Outcome] {
    let specification = try XCTUnwrap(vector["transfer_spec"]).specification()
    let count = max(1, specification.sessionCount ?? 1)
    return try (1...count).map { index in
      var options = options(vector)
      if count > 1 {
        options.part = .init(
          index: index, of: count, separatesPorts: vector["options"]?["multi_incr_udp"]?.bool ?? false)
      }
      let command = try AscpCommand(specification, options: options)
      return Outcome(
        arguments: command.arguments(fileListPath: "<FILE_LIST>"),
        environment: command.environment.mapValues { $0.reveal() }, list: command.fileList?.lines ?? [])
    }
  }

  private func outcome(of answer: JSONValue) throws -> Outcome {
    let environment = try XCTUnwrap(answer["env"]?.object)
    return Outcome(
      arguments: try XCTUnwrap(answer["argv"]).texts,
      environment: Dictionary(uniqueKeysWithValues: environment.map { ($0, $1.string ?? "") }),
      list: answer["list"]?.texts ?? [])
  }

  func testEveryCommandIsThatOfAsperaCLIOrDiffersForAReason() throws {
    let vectors = try cases()
    XCTAssertGreaterThanOrEqual(vectors.count, 160)
    var seen: Set<String> = []
    for vector in vectors {
      let name = try XCTUnwrap(vector["name"]?.string)
      let answer = try XCTUnwrap(vector["expect"])
      if let stricter = AscpDifference.stricter.first(where: { $0.cases.contains(name) }) {
        seen.insert(name)
        XCTAssertNil(answer["refused"], "\(name): aspera-cli is as strict")
        check(vector, "\(name): \(stricter.reason)", isRejectedWith: stricter.code, stricter.words)
      } else if let equal = AscpDifference.equal[name] {
        seen.insert(name)
        let other = try XCTUnwrap(vectors.first { $0["name"]?.string == equal.other }?["expect"], equal.other)
        XCTAssertEqual(try outcomes(vector), [try outcome(of: other)], "\(name): \(equal.reason)")
        XCTAssertNotEqual(answer, other, "\(name): aspera-cli does the same")
      } else if let change = AscpDifference.changed[name] {
        seen.insert(name)
        let known = try outcome(of: answer).arguments
        let range = try XCTUnwrap(known.firstRange(of: change.removed), name)
        let expected = known[..<range.lowerBound] + change.added + known[range.upperBound...]
        XCTAssertEqual(try outcomes(vector).map(\.arguments), [Array(expected)], "\(name): \(change.reason)")
      } else if answer["refused"] != nil {
        check(vector, name, isRejectedWith: nil, "")
      } else {
        let known = try (answer["sessions"]?.array ?? [answer]).map { try outcome(of: $0) }
        XCTAssertEqual(try outcomes(vector), known, name)
      }
    }
    XCTAssertEqual(seen, AscpDifference.names, "a difference without a vector")
  }

  private func check(_ vector: JSONValue, _ name: String, isRejectedWith code: AsperaError.Code?, _ words: String) {
    XCTAssertThrowsError(try outcomes(vector), name) { error in
      guard let error = error as? AsperaError else { return XCTFail("\(name): \(error)") }
      if let code { XCTAssertEqual(error.code, code, name) }
      XCTAssertTrue(words.isEmpty || error.message.contains(words), "\(name): \(error.message)")
      XCTAssertFalse(error.remedy.isEmpty, name)
    }
  }

  func testEveryFieldOfTheSchemaIsTriedAlone() throws {
    let file = try SpecificationVectors(file: "ascp-commands")
    let fields = try XCTUnwrap(file.block["fields"]).texts
    XCTAssertEqual(fields.count, 95)
    let names = try file.cases().compactMap { $0["name"]?.string }
    for field in fields {
      XCTAssertTrue(names.contains { $0.hasPrefix("\(field): ") && !$0.hasSuffix("that it needs") }, field)
    }
  }

  func testNoCommandContainsASecret() throws {
    let secrets = [
      "account-password", "file-password", "key-passphrase", "proxy-password", "daemon-password", "bucket-key",
      "windows-password", "MIIB", "ATB2_", "ATM2_", "eJyexample", "QUsxOnNlY3JldA", "delegated",
    ]
    var count = 0
    for vector in try cases() {
      guard let outcomes = try? outcomes(vector) else { continue }
      for argument in outcomes.flatMap(\.arguments) {
        for secret in secrets { XCTAssertFalse(argument.contains(secret), "\(vector["name"] ?? ""): \(argument)") }
      }
      count += 1
    }
    XCTAssertGreaterThan(count, 160)
  }
}
