import HTTPTypes
import XCTest

@testable import StorageAuth

final class FieldNameTests: XCTestCase {
  func testANameIsWhatIsWritten() {
    XCTAssertEqual(HTTPField.Name.known("x-oss-ec").rawName, "x-oss-ec")
    XCTAssertEqual(HTTPField.Name.contentMD5.canonicalName, "content-md5")
  }

  func testWhatStandsForATypoIsNoNameThatAnythingReads() {
    XCTAssertEqual(HTTPField.Name.mistyped.canonicalName, "x-mistyped-name")
  }
}
