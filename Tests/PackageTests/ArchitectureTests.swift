// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// The package's architecture: imports of every target, locations of unsafe code, and file lengths.
final class ArchitectureTests: XCTestCase {
  /// Modules that the libraries for signing may import although the manifest does not name them.
  private static let allowedForSigning: [String: Set<String>] = [
    "StorageCrypto": ["CommonCrypto", "Crypto", "CryptoExtras"],
    "StorageAuth": ["Dispatch", "Synchronization", "Glibc", "Musl", "Darwin", "MachO", "os"],
    "CredentialSources": [],
    "OSSAuth": [], "COSAuth": [], "S3Auth": [], "StorageDiagnosis": [],
  ]

  /// Modules whose purpose is to call the system's cryptography, which is in C.
  private static let cryptography: Set = ["StorageCrypto"]

  /// Files of other modules that may contain unsafe code, with the reason.
  private static let unsafeFiles: [String: String] = [
    "Sources/Core/StorageAuth/Concurrency/Lock.swift":
      "on Apple's systems the value is in an object, which is used while the mutex is locked",
    "Sources/Core/StorageAuth/Transport/ByteStream.swift":
      "on older systems an iterator is passed to another actor, whose end the caller awaits",
    "Sources/Core/StorageAuth/Text/StandardStream.swift": "writing to a standard stream and SIGPIPE are C calls",
    "Sources/Core/StorageAuth/Time/Timestamp.swift": "the system clock is a C call",
    "Sources/Core/StorageAuth/Time/ByteWriter+Time.swift": "digits are written into reserved capacity",
    "Sources/Core/StorageAuth/Canonical/HTTPFields+Values.swift":
      "the bytes of a header are a buffer, and are inspected several at a time, with the indices of the span",
    "Sources/Client/StorageClient/Files/Folder.swift": "the bytes of a name are a C string",
    "Sources/Client/StorageClient/Files/LocalFileSystem.swift": "files and folders are used with C calls",
    "Sources/Tool/storage-auth/Transfer/LocalFiles.swift": "a moved file is deleted with a C call",
    "Sources/Client/StorageClient/Files/OpenFileLimit.swift": "the limit of open files is read with C calls",
    "Sources/Testing/StorageAuthTesting/Loopback/LoopbackSocket.swift": "sockets are C calls",
    "Sources/Client/FoundationTransport/BodyPipe.swift":
      "the session reads a body into its buffer; bound streams are created in variables, and are used on one queue",
    "Sources/Client/FoundationTransport/Sessions.swift": "a queue that runs its operations at once has no state",
    "Sources/Client/AsyncHTTPTransport/AsyncHTTPClient+Conversion.swift": "the bytes of a span are copied as a buffer",
    "Sources/Testing/LocalCloud/Storage/BlobStore.swift": "the system reads into a buffer",
    "Sources/Providers/AsperaAuth/Tokens/Zlib.swift": "zlib is a C library",
    "Sources/Core/StorageAuth/Context/SystemFiles.swift":
      "files and their attributes are read with C calls",
    "Sources/Core/StorageAuth/Context/CurrentProcess.swift":
      "the environment, the account and the current folder are read with C calls",
    "Sources/Core/StorageAuth/Canonical/HostName.swift":
      "the bytes of a static string are a buffer",
  ]

  /// The sources of the modules; what fails to compile without a trait is in no layer.
  private func sources() throws -> [SourceTree.File] {
    let files = try SourceTree("Sources").files.filter { !$0.path.hasPrefix("Sources/Traits/") }
    XCTAssertGreaterThan(files.count, 50)
    return files
  }

  func testTargetsImportOnlyTheirDependencies() throws {
    let graph = try ModuleGraph()
    for file in try sources() {
      let allowed = try XCTUnwrap(graph[file.target], "\(file.path) is in a target that `layers` does not name")
      for name in file.imports where graph.names.contains(name) {
        XCTAssertTrue(allowed.contains(name), "\(file.path) imports \(name)")
      }
    }
  }

  func testDeclaredDependenciesAreImported() throws {
    var imported: [String: Set<String>] = [:]
    for file in try sources() { imported[file.target, default: []].formUnion(file.imports) }
    for row in try ModuleGraph().modules {
      let unused = Set(row.imports).subtracting(imported[row.name] ?? [])
      XCTAssertTrue(unused.isEmpty, "\(row.name) names \(unused.sorted()) and imports none of them")
    }
  }

  func testModulesDependOnlyOnModulesDeclaredAbove() throws {
    var above = ModuleGraph.inC.union(["HTTPTypes"])
    for row in try ModuleGraph().modules {
      XCTAssertTrue(above.isSuperset(of: row.imports), "\(row.name) names \(Set(row.imports).subtracting(above))")
      XCTAssertTrue(above.insert(row.name).inserted, "\(row.name) is listed twice")
    }
  }

  func testEachModuleIsInTheFolderOfItsLayer() throws {
    let rows = try ModuleGraph().modules
    XCTAssertEqual(Set(rows.map(\.layer)), ["Core", "Providers", "Client", "Server", "Testing", "Tool"])
    let folders = Set(rows.map { "Sources/\($0.layer)/\($0.name)" })
    let found = Set(try sources().map { $0.path.split(separator: "/").prefix(3).joined(separator: "/") })
    XCTAssertEqual(found, folders)
  }

  func testSigningLibrariesImportNeitherFoundationNorNetworking() throws {
    let graph = try ModuleGraph()
    var seen: Set<String> = []
    for file in try sources() {
      guard let allowed = Self.allowedForSigning[file.target], let below = graph[file.target] else { continue }
      seen.insert(file.target)
      for name in file.imports {
        XCTAssertTrue(allowed.contains(name) || below.contains(name), "\(file.path) imports \(name)")
      }
    }
    XCTAssertEqual(seen, Set(Self.allowedForSigning.keys))
  }

  func testClientImportsNetworkAndProgramsOnlyForItsDefaults() throws {
    let heavy: Set = ["AsyncHTTPTransport", "NIOCore", "StoragePrograms", "Subprocess"]
    let foreign = ["NIO", "_NIO", "AsyncHTTPClient", "Subprocess"]
    var found: Set<String> = []
    for file in try sources() where ["StorageClient", "AsperaClient", "AsperaTransfer"].contains(file.target) {
      for name in file.imports where heavy.contains(name) || foreign.contains(where: name.hasPrefix) {
        XCTAssertTrue(heavy.contains(name), "\(file.path) imports \(name)")
        let mayImport = ["/Defaults/", "/Exports.swift", "/AsperaTransferOptions.swift"].contains {
          file.path.contains($0)
        }
        XCTAssertTrue(mayImport, "\(file.path) imports \(name), which only what chooses defaults may")
        let before = file.lines.prefix { !$0.contains("import") || !$0.contains(name) }
        XCTAssertEqual(
          before.last { $0.hasPrefix("#") }, "#if STORAGE_AUTH_NIO", "\(file.path) imports \(name) on all platforms")
        found.insert(name)
      }
    }
    XCTAssertEqual(found, heavy)
  }

  func testUnsafeCodeAppearsOnlyInListedFiles() throws {
    let words = [
      "unsafe ", "@unsafe", "nonisolated(unsafe)", "@unchecked", "@safe", "unsafeBitCast", "withMemoryRebound",
    ]
    var used: Set<String> = []
    for file in try sources() where !Self.cryptography.contains(file.target) {
      let code = file.lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }
      guard code.contains(where: { line in words.contains { line.contains($0) } }) else { continue }
      used.insert(file.path)
      XCTAssertNotNil(Self.unsafeFiles[file.path], "\(file.path) has unsafe code and is not listed")
    }
    XCTAssertEqual(used, Set(Self.unsafeFiles.keys), "a listed file no longer has unsafe code")
  }

  func testSourcesContainNoTrappingCalls() throws {
    let words = ["try!", "fatalError(", "preconditionFailure(", "as!", "unowned(unsafe)"]
    for file in try sources() {
      for line in file.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        for word in words where line.contains(word) { XCTFail("\(file.path) has \(word)") }
      }
    }
  }

  func testEveryMatrixCellHasATestOrAReason() throws {
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

  func testFilesHaveAtMost600Lines() throws {
    for folder in ["Sources", "Tests"] {
      for file in try SourceTree(folder).files {
        XCTAssertLessThanOrEqual(file.linesWithoutHeader.count, 600, file.path)
      }
    }
  }

  func testLicenseHeaderIsNotPartOfTheFileLength() {
    let body: [Substring] = ["import Foundation", "", "let a = 1", ""]
    for lines in [body, SourceTree.header + body, Array(body.dropLast())] {
      let file = SourceTree.File(path: "Sources/A/A.swift", lines: lines)
      XCTAssertEqual(Array(file.linesWithoutHeader), Array(body.dropLast()))
    }
    let comment = SourceTree.File(path: "Sources/A/A.swift", lines: ["// SPDX-License-Identifier: Apache-2.0", ""])
    XCTAssertEqual(comment.linesWithoutHeader.count, 1, "half a header counts")
  }
}
