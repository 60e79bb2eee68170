// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import XCTest

/// Yields to other tasks until a condition holds, and fails the test after a minute.
package func eventually(
  _ what: String, file: StaticString = #filePath, line: UInt = #line, _ condition: () -> Bool
) async {
  let deadline = ContinuousClock.now.advanced(by: .seconds(60))
  while ContinuousClock.now < deadline {
    if condition() { return }
    await Task.yield()
  }
  XCTFail("condition not met: \(what)", file: file, line: line)
}
