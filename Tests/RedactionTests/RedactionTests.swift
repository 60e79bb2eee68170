import StorageAuth
import XCTest

/// Whatever is done to show an instance of a public type, no secret and no token is seen.
final class RedactionTests: XCTestCase {
  // matrix: OSS V1: redaction
  // matrix: OSS V4: redaction
  // matrix: COS V5: redaction
  func testNoPublicTypeShowsASecretOrAToken() throws {
    for (name, value) in try Subjects.all() {
      XCTAssertEqual(typeName(of: value), name)
      for text in texts(of: value) + texts(of: [value]) + texts(of: Optional(value) as Any) + texts(of: ["a": value]) {
        XCTAssertFalse(text.contains(Subjects.mark), "\(name) shows \(text)")
      }
    }
  }

  func testTheMarkWouldBeFound() {
    let leaky = RequestTarget.Parameter(name: "prefix", value: Subjects.token)
    for text in texts(of: leaky) { XCTAssertTrue(text.contains(Subjects.mark), text) }
    XCTAssertTrue(texts(of: [Subjects.secret]).allSatisfy { $0.contains(Subjects.mark) })
  }

  func testNoTypeWithASecretCanBeEncodedOrHashed() throws {
    for (name, value) in try Subjects.all() {
      XCTAssertFalse(value is any Encodable, name)
    }
    XCTAssertFalse(Subjects.key as Any is any Hashable)
    XCTAssertFalse(Subjects.key.secret as Any is any Hashable)
  }

  private func typeName(of value: Any) -> String {
    String(String(reflecting: type(of: value)).prefix { $0 != "<" })
  }

  /// Every way to show a value.
  private func texts(of value: Any) -> [String] {
    var printed = ""
    print(value, to: &printed)
    var debugPrinted = ""
    debugPrint(value, to: &debugPrinted)
    var dumped = ""
    dump(value, to: &dumped)
    var mirrored = ""
    mirror(value, into: &mirrored, depth: 0)
    return [printed, debugPrinted, dumped, mirrored, "\(value)", String(describing: value), String(reflecting: value)]
  }

  /// The descriptions of a value and of everything that its mirror reaches.
  private func mirror(_ value: Any, into text: inout String, depth: Int) {
    text += "\(value) "
    guard depth < 12 else { return }
    var next: Mirror? = Mirror(reflecting: value)
    while let mirror = next {
      for child in mirror.children {
        text += (child.label ?? "") + " "
        self.mirror(child.value, into: &text, depth: depth + 1)
      }
      next = mirror.superclassMirror
    }
  }
}
