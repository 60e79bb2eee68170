import XCTest

/// Lets other tasks go on until something holds; a test that does not get there within a minute fails.
func eventually(
  _ what: String, file: StaticString = #filePath, line: UInt = #line, _ condition: () -> Bool
) async {
  let deadline = ContinuousClock.now.advanced(by: .seconds(60))
  while ContinuousClock.now < deadline {
    if condition() { return }
    await Task.yield()
  }
  XCTFail("never: \(what)", file: file, line: line)
}
