// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Logging
import StorageAuth
import StorageClient
import XCTest

/// Tests that the watch finds secrets.
final class SecretWatchTests: XCTestCase {
  func testSecretIsFoundInAnEventALogLineAndAnError() throws {
    SecretWatch.install()
    let token = try XCTUnwrap(temporaryKey.sessionToken).reveal()
    let found = Collected<String>()
    SecretWatch.catcher.withLock { $0 = { found.append($0) } }
    defer { SecretWatch.catcher.withLock { $0 = nil } }
    EventHub().emit(.retry(.init(subject: "GET oss://photos/a", attempt: 2, delay: .zero, reason: "token \(token)")))
    XCTAssertEqual(found.values.count, 1)
    Logger(label: "anywhere").trace("it", metadata: ["deep": ["token": "\(token)"]])
    XCTAssertEqual(found.values.count, 2)
    SecretWatch.check("\(StorageError(.invalidOption, "token \(token)", remedy: "None."))")
    XCTAssertEqual(found.values.count, 3)
    SecretWatch.check("\(temporaryKey)")
    XCTAssertEqual(found.values.count, 3)
  }
}
