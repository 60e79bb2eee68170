// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Output through a single terminal type, escaped error descriptions, and valid header names.
final class PrintingTests: XCTestCase {
  /// The file that writes to standard output and standard error, in which no failure is a trap or is ignored.
  private static let printer = "Sources/Core/StorageAuth/Text/StandardStream.swift"

  /// A consumer of the public API, which writes one line with a function that throws.
  private static let consumer = "Examples/VerifiedServiceExample/VerifiedServiceExample.swift"

  /// Files that may use it.
  private static let printers: Set = [
    "Sources/Tool/storage-auth/Terminal/Terminal.swift", "Sources/Tool/storage-auth/StorageAuthCommand.swift",
    "Sources/Testing/ascp-simulator/AscpSimulator.swift", "Examples/Support/Say.swift",
  ]

  /// Public errors, and the test that checks their description with hostile text.
  private static let errors: [String: String] = [
    "CredentialError": "StorageAuthTests/Text/DisplayTextTests.swift",
    "SigningError": "StorageAuthTests/Text/DisplayTextTests.swift",
    "VerificationError": "StorageAuthTests/Text/DisplayTextTests.swift",
    "PolicyError": "StorageAuthTests/Text/DisplayTextTests.swift",
    "SigningRefusal": "StorageAuthTests/Text/DisplayTextTests.swift",
    "TransportError": "StorageAuthTests/Text/DisplayTextTests.swift",
    "AccessRefusal": "StorageAuthTests/Text/DisplayTextTests.swift",
    "StorageError": "StorageClientTests/HostileTextTests.swift",
    "ServiceError": "StorageClientTests/HostileTextTests.swift",
    "AsperaError": "StorageClientTests/HostileTextTests.swift",
    "TransferFailure": "StorageClientTests/HostileTextTests.swift",
    "ConfigurationError": "StorageConfigurationTests/ReadingTests.swift",
    "StoreError": "StorageAuthServerTests/Tokens/StoreErrorTests.swift",
  ]

  /// Public errors without text from outside.
  private static let errorsWithoutText: [String: String] = [
    "CommandError": "messages of the system", "FileReadError": "messages of the system",
    "TokenServiceError": "its components are errors", "JSONError": "a position and messages of the parser",
    "LocalCloudError": "arguments of the program that starts it, escaped", "ConformanceFailure": "for tests",
    "RedisURLError": "an enumeration without payload", "CertificateError": "an enumeration without payload",
    "CallbackRefusal": "numbers, and the URL of a key, whose characters are checked before",
  ]

  private func code(_ file: SourceTree.File) -> [Substring] {
    file.lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
  }

  func testSourcesPrintOnlyThroughTheTerminal() throws {
    let words = [
      #/(?:^|[^A-Za-z.])(?:fputs|puts|NSLog)\(/#, #/(?:^|[^A-Za-z.])(?:print|debugPrint|dump)\((?!.*\bto:)/#,
      #/FileHandle\.standard(?:Output|Error)/#, #/FileDescriptor\.standard(?:Output|Error)/#,
    ]
    for folder in ["Sources", "Examples", "Benchmarks"] {
      for file in try SourceTree(folder).files where ![Self.printer, Self.consumer].contains(file.path) {
        for line in code(file) where words.contains(where: { line.contains($0) }) {
          XCTFail("\(file.path) prints: \(line). Use Terminal, say or StandardStream.")
        }
        guard folder != "Benchmarks", !Self.printers.contains(file.path) else { continue }
        for line in code(file) where line.contains("StandardStream.") {
          XCTFail("\(file.path) prints: \(line). Use \(folder == "Sources" ? "Terminal" : "say").")
        }
      }
    }
  }

  /// Functions of `FileHandle` that end the process where those that throw report an error.
  func testFileHandlesAreReadAndWrittenWithFunctionsThatThrow() throws {
    let words = [
      #/\.(?:readDataToEndOfFile|readData|synchronizeFile|closeFile|truncateFile|seekToEndOfFile|seek|availableData)\b/#,
      #/FileHandle\S*\.write\(Data/#,
    ]
    for folder in ["Sources", "Examples", "Benchmarks"] {
      for file in try SourceTree(folder).files where file.imports.contains("Foundation") {
        for line in code(file) where words.contains(where: { line.contains($0) }) {
          XCTFail("\(file.path): \(line). A failure of this call is a trap.")
        }
      }
    }
  }

  func testKnownHeaderNamesAreTokens() throws {
    let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    var count = 0
    for file in try SourceTree("Sources").files {
      for match in code(file).joined(separator: "\n").matches(of: #/\bknown\(\s*"([^"]*)"/#) {
        count += 1
        XCTAssertTrue(!match.1.isEmpty && match.1.allSatisfy(token.contains), "\(file.path): \(match.1)")
      }
    }
    XCTAssertGreaterThan(count, 20)
  }

  func testEveryPublicErrorIsTestedWithHostileText() throws {
    var found: Set<String> = []
    for file in try SourceTree("Sources").files {
      let text = code(file).joined(separator: "\n")
      for match in text.matches(of: #/public (?:struct|enum|final class) (\w+): [^{]*\b(?:Detailed)?Error\b/#) {
        found.insert(String(match.1))
      }
    }
    XCTAssertEqual(found, Set(Self.errors.keys).union(Self.errorsWithoutText.keys))
    for (name, path) in Self.errors {
      let text = try String(contentsOf: SourceTree.root.appending(path: "Tests/\(path)"), encoding: .utf8)
      XCTAssertTrue(text.contains("\(name)("), "\(path) does not create a \(name)")
    }
  }
}
