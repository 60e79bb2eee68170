// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

/// Isolation of awaited callbacks: none runs on the actor of its caller, such as the main thread for `@MainActor` code.
///
/// With `NonisolatedNonsendingByDefault` a function type without `@concurrent` runs where its caller runs, so every
/// asynchronous function type of the public API must be `@concurrent`.
final class CallbackTests: XCTestCase {
  /// Files with function types that run on their caller's actor, with the reason.
  private static let onTheCallersActor = [
    "Sources/Core/StorageAuth/Transport/ByteStream.swift":
      "the reader belongs to one iterator, which is not Sendable, and runs on the actor that iterates the body",
    "Sources/Core/StorageAuth/Events/AuthInstrument.swift":
      "an instrument wraps work of this package, which runs on the actor on which it runs without the instrument",
  ]

  private struct Declaration {
    let line: Int
    let text: String
  }

  /// Returns the public declarations of a file up to their bodies, including the requirements of public protocols.
  private static func declarations(_ lines: [Substring]) -> [Declaration] {
    var found: [Declaration] = []
    var protocolIndent: Int?
    var index = 0
    while index < lines.count {
      let line = lines[index]
      let code = line.drop { $0 == " " }
      let indent = line.count - code.count
      if let outer = protocolIndent, indent <= outer, code.hasPrefix("}") { protocolIndent = nil }
      if code.hasPrefix("public protocol") { protocolIndent = indent }
      let isRequirement =
        protocolIndent.map { indent > $0 } == true && ["func ", "init(", "var "].contains { code.hasPrefix($0) }
      guard code.hasPrefix("public ") || code.hasPrefix("@discardableResult public ") || isRequirement else {
        index += 1
        continue
      }
      let start = index
      var text = ""
      var depth = 0
      repeat {
        let part = lines[index].drop { $0 == " " }.prefix { $0 != "{" }
        depth += part.reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) }
        text += part + " "
        index += 1
      } while depth > 0 && index < lines.count
      found.append(Declaration(line: start + 1, text: text))
    }
    return found
  }

  /// Counts the asynchronous function types of a declaration, and how many of them are concurrent.
  ///
  /// The `async` of a function itself is outside of its parentheses, and counts only if the declaration is a type or a
  /// property.
  private static func callbacks(in text: String) -> (all: Int, concurrent: Int) {
    let isValue = ["typealias ", " var ", " let "].contains { text.contains($0) }
    var depth = 0
    var all = 0
    for word in text.split(separator: " ") {
      let opened = word.count { $0 == "(" }
      let isAsync = word == "async" || word == "async)" || word.hasPrefix("async(")
      if isAsync, depth > 0 || isValue { all += 1 }
      depth += opened - word.count { $0 == ")" }
    }
    return (all, text.components(separatedBy: "@concurrent").count - 1)
  }

  func testAsynchronousCallbacksOfThePublicAPIAreConcurrent() throws {
    var seen = 0
    for file in try SourceTree("Sources").files where Self.onTheCallersActor[file.path] == nil {
      for declaration in Self.declarations(file.lines) {
        let (all, concurrent) = Self.callbacks(in: declaration.text)
        seen += all
        XCTAssertGreaterThanOrEqual(
          concurrent, all, "\(file.path):\(declaration.line) has a callback that runs on the caller's actor")
      }
    }
    XCTAssertGreaterThan(seen, 20, "the search no longer finds the callbacks")
  }

  func testLintFindsCallbacksOnTheCallersActor() {
    let bad = [
      "public typealias Sign = @Sendable (Order) async throws -> Signature",
      "  public init(source: String, _ fetch: @escaping @Sendable () async throws -> Value?) {",
      "  public static func remote(\n    _ sign: @escaping Sign, as id: @escaping @Sendable () async throws -> Identity\n  ) {",
      "public protocol Verifier {\n  func verify(keys: (String) async throws -> Key?) async throws -> Bool\n}",
      "  public var sleep: @Sendable (Duration) async throws -> Void",
    ]
    for text in bad {
      let counts = Self.declarations(text.split(separator: "\n")).map { Self.callbacks(in: $0.text) }
      XCTAssertTrue(counts.contains { $0.concurrent < $0.all }, text)
    }
    let good = [
      "public typealias Sign = @Sendable @concurrent (Order) async throws -> Signature",
      "  public func credential() async throws(CredentialError) -> Value {",
      "  public func send(\n    _ request: HTTPRequest, body: HTTPBody = .none\n  ) async throws -> HTTPStreamingResponse {",
      "  func verify(keys: (String) async throws -> Key?) async throws",
    ]
    for text in good {
      let counts = Self.declarations(text.split(separator: "\n")).map { Self.callbacks(in: $0.text) }
      XCTAssertFalse(counts.contains { $0.concurrent < $0.all }, text)
    }
  }
}
