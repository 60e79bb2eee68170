import Foundation
import XCTest

/// The house stands as it was drawn: what imports what, where unsafe code is, how long files are.
final class ArchitectureTests: XCTestCase {
  /// The modules of the package that each of them may import: arrows point down only.
  private static let floors: [String: Set<String>] = [
    "StorageCrypto": ["CLibcrypto"], "StorageCompression": ["CZlib"], "StorageJSON": [],
    "StorageAuth": ["StorageCrypto", "StorageJSON"], "OSSAuth": ["StorageAuth", "StorageCrypto", "StorageJSON"],
    "COSAuth": ["StorageAuth", "StorageCrypto", "StorageJSON"],
    "S3Auth": ["StorageAuth", "StorageCrypto", "StorageJSON"],
    "RequestLines": ["OSSAuth", "COSAuth", "S3Auth", "StorageAuth", "StorageCrypto"], "StorageXML": [],
    "StorageDiagnosis": ["OSSAuth", "COSAuth", "S3Auth", "StorageAuth", "StorageCrypto", "StorageXML"],
    "AsperaAuth": ["CloudCredentials", "StorageAuth", "StorageCompression", "StorageCrypto", "StorageJSON"],
    "AsperaTransfer": ["AsperaAuth", "CloudCredentials", "StorageAuth", "StorageCrypto", "StorageJSON"],
    "CloudCredentials": ["StorageAuth", "StorageCrypto", "StorageJSON", "StorageXML"],
    "StorageAuthTesting": ["StorageAuth"],
    "StorageClient": [
      "AsperaAuth", "AsperaTransfer", "CloudCredentials", "OSSAuth", "COSAuth", "S3Auth", "StorageAuth",
      "StorageCrypto", "StorageDiagnosis", "StorageJSON", "StorageXML",
    ],
    "StorageClientTesting": ["StorageAuth", "StorageClient", "StorageCrypto"], "HTTPServing": [],
    "LocalCloud": [
      "AsperaAuth", "CloudCredentials", "HTTPServing", "OSSAuth", "COSAuth", "S3Auth", "StorageAuth", "StorageCrypto",
      "StorageJSON",
      "StorageXML",
    ],
    "StorageAuthServer": [
      "AsperaAuth", "CloudCredentials", "HTTPServing", "OSSAuth", "COSAuth", "StorageAuth", "StorageCrypto",
      "StorageJSON",
      "StorageXML",
    ],
    "ascp-simulator": ["AsperaAuth", "StorageAuth", "StorageClient", "StorageCrypto", "StorageJSON"],
    "storage-auth": [
      "AsperaAuth", "AsperaTransfer", "StorageAuthServer", "StorageJSON", "StorageClient", "StorageDiagnosis",
      "LocalCloud", "RequestLines", "CloudCredentials", "OSSAuth", "COSAuth", "S3Auth", "StorageAuth", "StorageCrypto",
    ],
  ]

  /// What the libraries for signing may import from elsewhere.
  private static let allowedForSigning: [String: Set<String>] = [
    "StorageCrypto": ["Synchronization"],
    "StorageAuth": ["Dispatch", "HTTPTypes", "Synchronization", "Glibc", "Musl", "Darwin"],
    "OSSAuth": ["HTTPTypes"], "COSAuth": ["HTTPTypes"], "S3Auth": ["HTTPTypes"],
    "StorageDiagnosis": ["HTTPTypes"],
  ]

  /// Where unsafe code may stand outside StorageCrypto, and why.
  private static let unsafeFiles: [String: String] = [
    "Sources/StorageAuth/Time/Timestamp.swift": "the clock of the machine is a C call",
    "Sources/StorageAuth/Canonical/HeaderSelection.swift": "the bytes of a header value come as a buffer",
    "Sources/StorageClient/Downloads/FileReplacement.swift": "the rename of a file is a C call",
    "Sources/StorageCompression/Zlib.swift": "zlib is a C library",
    "Sources/CloudCredentials/Local/OpenedFile.swift": "the descriptor of a file is asked through C calls",
    "Sources/StorageAuth/Canonical/HostName.swift": "the bytes of a static string come as a buffer",
  ]

  private func sources() throws -> [SourceTree.File] {
    let files = try SourceTree("Sources").files
    XCTAssertGreaterThan(files.count, 50)
    return files
  }

  func testEveryTargetImportsOnlyWhatIsBelowIt() throws {
    let own = Set(Self.floors.keys).union(["CLibcrypto", "CZlib"])
    for file in try sources() {
      let allowed = try XCTUnwrap(Self.floors[file.target], "\(file.path) is in a target that nobody drew")
      for name in file.imports where own.contains(name) {
        XCTAssertTrue(allowed.contains(name), "\(file.path) imports \(name)")
      }
    }
  }

  func testTheLibrariesForSigningImportNoFoundationAndNoNetwork() throws {
    var seen: Set<String> = []
    for file in try sources() {
      guard let allowed = Self.allowedForSigning[file.target], let floor = Self.floors[file.target] else { continue }
      seen.insert(file.target)
      for name in file.imports {
        XCTAssertTrue(allowed.contains(name) || floor.contains(name), "\(file.path) imports \(name)")
      }
    }
    XCTAssertEqual(seen, Set(Self.allowedForSigning.keys))
  }

  func testUnsafeCodeStandsWhereItIsListed() throws {
    let words = [
      "unsafe ", "@unsafe", "nonisolated(unsafe)", "@unchecked", "@safe", "unsafeBitCast", "withMemoryRebound",
    ]
    var used: Set<String> = []
    for file in try sources() where file.target != "StorageCrypto" {
      let code = file.lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
      guard code.contains(where: { line in words.contains { line.contains($0) } }) else { continue }
      used.insert(file.path)
      XCTAssertNotNil(Self.unsafeFiles[file.path], "\(file.path) has unsafe code and is not listed")
    }
    XCTAssertEqual(used, Set(Self.unsafeFiles.keys), "a file that is listed has no unsafe code any more")
  }

  func testNothingTrapsOnInput() throws {
    let words = ["try!", "fatalError(", "preconditionFailure(", "as!", "unowned(unsafe)"]
    for file in try sources() {
      for line in file.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        for word in words where line.contains(word) { XCTFail("\(file.path) has \(word)") }
      }
    }
  }

  func testTheTestMatrixIsWhatTheTestsSay() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", SourceTree.root.appending(path: "Tests/Matrix/generate.py").path(percentEncoded: false), "--check",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0, text)
  }

  func testNoFileIsLongerThan400Lines() throws {
    for folder in ["Sources", "Tests"] {
      for file in try SourceTree(folder).files {
        XCTAssertLessThanOrEqual(file.lines.count - 1, 400, file.path)
      }
    }
  }
}
