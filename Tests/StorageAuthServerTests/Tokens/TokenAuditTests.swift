// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthServer
import StorageAuthTesting
import XCTest

/// Tests the format of the audit log.
final class TokenAuditTests: XCTestCase {
  func testCallersInputCannotForgeALogLine() async throws {
    let lines = AuditLines()
    let time = ManualClock()
    let key = AccessKey(
      id: "STS.1", secret: "secret-1", sessionToken: "token-1", expiration: time.now.advanced(by: .seconds(1800)))
    let service = TokenService(audit: lines.append, in: ProviderContext(time: time)) { scope in
      guard scope.name != "none" else {
        throw CredentialError(.rejected, source: "sts", "No role.\nagain", remedy: "Allow it.")
      }
      return StaticCredentialProvider(key)
    }
    let forged = "mia\r\nnotice: noah\u{1b}[2K\u{2028}got STS.9"
    let policy = AccessPolicy([AccessRule(.read, objects: .all, in: "photos")])
    _ = try await service.key(for: KeyRequest(caller: forged, scope: TokenScope("uploads\nnoah", policy)))
    do {
      _ = try await service.key(for: KeyRequest(caller: forged, scope: TokenScope("none", policy)))
      XCTFail("a key was issued")
    } catch {}
    let log = LogLines()
    for line in lines.all { TokenAudit.log(to: log.logger)(line) }
    let written = log.all + lines.all.map(\.description)
    XCTAssertEqual(written.count, 4)
    for line in written {
      XCTAssertTrue(line.contains("mia"), line)
      XCTAssertFalse(line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{2028}" }, line)
    }
  }
}
