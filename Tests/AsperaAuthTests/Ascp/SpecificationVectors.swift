import AsperaAuth
import StorageJSON
import XCTest

/// The known answers of `Vectors/aspera.json`, in one of its blocks.
struct SpecificationVectors {
  let block: JSONValue

  init(_ name: String) throws {
    let url = try XCTUnwrap(Bundle.module.url(forResource: "aspera", withExtension: "json", subdirectory: "Vectors"))
    let document = try JSONValue(parsing: Data(contentsOf: url))
    block = try XCTUnwrap(document[name], "the vectors have no \(name)")
  }

  func cases(_ name: String = "cases") throws -> [JSONValue] {
    let cases = try XCTUnwrap(block[name]?.array)
    XCTAssertFalse(cases.isEmpty)
    return cases
  }
}

extension JSONValue {
  /// The texts of a list.
  var texts: [String] { (array ?? []).compactMap(\.string) }

  /// A specification, as a vector writes it.
  func specification() throws -> TransferSpec { TransferSpec(fields: try XCTUnwrap(object)) }
}

/// The members of an object that is written down in a test.
func members(_ object: JSONValue) -> JSONObject? { object.object }
