import XCTest

/// No callback that is awaited runs on the actor of the code that asks: not on the main thread for `@MainActor` code.
///
/// With `NonisolatedNonsendingByDefault` a function type without `@concurrent` runs where its caller runs. So every
/// asynchronous function type of the public API says `@concurrent`.
final class CallbackTests: XCTestCase {
  /// Where a function type runs on its caller's actor, and why.
  private static let onTheCallersActor = [
    "Sources/StorageAuth/Transport/ByteStream.swift":
      "the reader belongs to one iterator, which is not Sendable, and runs where the body is iterated"
  ]

  private struct Declaration {
    let line: Int
    let text: String
  }

  /// The public declarations of a file, up to the beginning of their bodies; the requirements of public protocols too.
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

  /// How many asynchronous function types a declaration has, and how many of them are concurrent.
  ///
  /// The `async` of a function itself is outside of its parentheses, and counts only where the declaration is of a type or
  /// of a property.
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

  func testEveryAsynchronousCallbackOfThePublicAPIIsConcurrent() throws {
    var seen = 0
    for file in try SourceTree("Sources").files where Self.onTheCallersActor[file.path] == nil {
      for declaration in Self.declarations(file.lines) {
        let (all, concurrent) = Self.callbacks(in: declaration.text)
        seen += all
        XCTAssertGreaterThanOrEqual(
          concurrent, all, "\(file.path):\(declaration.line) has a callback that runs on the caller's actor")
      }
    }
    XCTAssertGreaterThan(seen, 20, "the callbacks are not found any more")
  }

  func testACallbackOnTheCallersActorIsFound() {
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
