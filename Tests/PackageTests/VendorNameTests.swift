// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

/// Vendor neutrality: vendor-specific names appear only in that vendor's modules, folders and files.
final class VendorNameTests: XCTestCase {
  /// Vendor-specific words: names of services and of clouds, prefixes of headers, domains.
  private static let words = [
    #"OSS"#, #"\b[xX]-(oss|cos|amz|obs)-"#, #"(?i:alibaba|aliyun|tencent|qcloud|amazon|aspera|\bascp|huawei)"#,
    #"\bCOS|COS[A-Z]|[a-z]COS"#, #"\bAWS|\bS3|[a-z]S3"#, #"\b(oss|cos|s3)([A-Z]\w*)?\b"#,
  ].joined(separator: "|")

  /// Modules of one vendor, and folders and files of one vendor in the other modules.
  private static let vendorsPlaces = [
    #"^Sources/\w+/(OSSAuth|COSAuth|S3Auth|AsperaAuth|AsperaTransfer|AsperaClient|StoragePrograms|ascp-simulator)/"#,
    #"/(OSS|COS|S3|Aspera|Alibaba|Tencent|Amazon)/"#,
    #"[/+](OSS|COS|S3|Alibaba|Tencent|Amazon|Aspera)\w*\.swift$"#,
  ].joined(separator: "|")

  /// Other files that may name a vendor, with the reason.
  private static let exceptions: [String: String] = [
    "Sources/Tool/storage-auth/Clouds/CloudName.swift": "the registry of the command line",
    "Sources/Tool/storage-auth/Serve": "the options and the report of a server that emulates all services",
    "Sources/Tool/storage-auth/Transfer": "options and locations of Aspera, which has no buckets",
    "Sources/Tool/storage-auth/Sign/SigningOptions.swift": "the version of the OSS signature is an option",
    "Sources/Tool/storage-auth/StorageAuthCommand.swift": "the list of the commands",
    "Sources/Tool/storage-auth/Terminal/ErrorReport.swift": "errors of every library, also of Aspera transfers",
    "Sources/Tool/StorageConfiguration": "settings of every provider, and the ports of LocalCloud",
    "Sources/Testing/LocalCloud/LocalCloud.swift": "starts the node, which is not a service with buckets",
    "Sources/Testing/LocalCloud/Services": "the registry of LocalCloud: ports, endpoints, roles, counters",
    "Sources/Testing/LocalCloud/Storage/Storage.swift": "the folder of the node",
    "Sources/Tool/SigningJobs/SigningJob.swift": "the registry of signing jobs in JSON",
    "Sources/Core/CredentialSources/AppServer/AppServerFormat.swift": "the registry of app server response formats",
    "Sources/Client/StorageClient/Exports.swift": "re-exports the modules, and is the registry of services",
    "Sources/Server/StorageAuthServer/Tokens/TokenFormat.swift": "the registry of token response formats",
    "Sources/Client/StorageOperations/Services.swift": "a transfer queue, which only Aspera has, is a service as well",
    "Sources/Server/StorageAuthServer/Tokens/TokenAudit.swift": "has an entry for transfers, which only Aspera has",
  ]

  private struct Finding {
    let path: String
    let lines: [String]
  }

  /// Returns the files outside of the vendors' locations that name a vendor, with the lines.
  ///
  /// Comments may name any vendor, and so may help and error texts of the command line.
  private func findings() throws -> [Finding] {
    let words = try Regex(Self.words)
    let places = try Regex(Self.vendorsPlaces)
    return try SourceTree("Sources").files.filter { !$0.path.contains(places) }.compactMap { file in
      let isCommandLine = file.target == "storage-auth"
      let lines = file.lines.map(String.init).filter { line in
        // The name of swift-nio-ssl's module contains three letters of a service's name.
        var code = line.replacing(#///.*$/#, with: "").replacing("NIOSSL", with: "")
        if isCommandLine { code = code.replacing(#/"(\\.|[^"\\])*"/#, with: "") }
        return code.contains(words) && !(isCommandLine && Self.isProse(line))
      }
      return lines.isEmpty ? nil : Finding(path: file.path, lines: lines)
    }
  }

  /// Whether a line is part of a multiline string, such as an example of a command.
  private static func isProse(_ line: String) -> Bool {
    line.contains(#/^\s*storage-auth /#)
      || !line.contains(#/[(){}=]|^\s*(internal|public|package|case|let|var|func|import) /#)
  }

  private func exception(for path: String) -> String? {
    Self.exceptions.keys.first { path == $0 || path.hasPrefix($0 + "/") }
  }

  func testVendorsAreNamedOnlyInTheirModules() throws {
    var used: Set<String> = []
    for finding in try findings() {
      if let exception = exception(for: finding.path) {
        used.insert(exception)
      } else {
        XCTFail("\(finding.path) names a vendor; move it to the vendor's module or folder: \(finding.lines[0])")
      }
    }
    XCTAssertEqual(used, Set(Self.exceptions.keys), "an exception is no longer needed")
  }
}
