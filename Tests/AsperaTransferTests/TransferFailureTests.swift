import AsperaTransfer
import XCTest

final class TransferFailureTests: XCTestCase {
  func testAFailureSaysItsCodeItsTextAndItsRemedy() {
    let failure = TransferFailure(.account, code: 19, "The server refused.", remedy: "Check the password.")
    XCTAssertEqual("\(failure)", "19: The server refused. Check the password.")
  }
}
