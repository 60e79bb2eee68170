import Foundation
import StorageJSON

/// Good inputs, from the vectors and the keys of the tests.
struct Samples {
  let vectors: JSONValue
  let keys: [[UInt8]]

  init() throws {
    let folder = URL(filePath: "Tests/AsperaAuthTests", directoryHint: .isDirectory)
    vectors = try JSONValue(parsing: Data(contentsOf: folder.appending(path: "Vectors/aspera.json")))
    let place = folder.appending(path: "Keys")
    keys = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted().map { name in
      Array(try Data(contentsOf: place.appending(path: name)))
    }
  }

  /// The values of a member, wherever it stands in the vectors.
  func all(_ name: String, in value: JSONValue? = nil) -> [JSONValue] {
    switch value ?? vectors {
    case .object(let object):
      object.flatMap { member in (member.name == name ? [member.value] : []) + all(name, in: member.value) }
    case .array(let elements): elements.flatMap { all(name, in: $0) }
    case .text, .number, .truth, .null: []
    }
  }

  /// The texts of a member, wherever it stands in the vectors.
  func texts(_ name: String) -> [[UInt8]] { all(name).compactMap { $0.text.map { Array($0.utf8) } } }
}
