public import StorageJSON

/// What is transferred between whom, as Aspera's `transfer_spec` (version 1) describes it.
///
/// Every field is kept as it came, those that this package does not know too. The fields can hold a password, a key and
/// a token: the description shows none of them.
///
/// ```swift
/// var spec = TransferSpec(.send, [TransferPath("/data/cat.jpg", to: "2026/cat.jpg")], destinationRoot: "/photos")
/// ```
public struct TransferSpec: Sendable, Equatable {
  /// The fields, in the order in which they came.
  public var fields: JSONObject

  /// Takes over fields.
  ///
  /// - Parameter fields: The fields of a `transfer_spec`.
  public init(fields: JSONObject) {
    self.fields = fields
  }

  /// Describes a transfer.
  ///
  /// - Parameters:
  ///   - direction: Whether files are sent to the server or received from it.
  ///   - paths: The files and folders.
  ///   - destinationRoot: The folder that they go to; the docroot of the account, or `/`, if not given.
  public init(_ direction: TransferDirection, _ paths: [TransferPath], destinationRoot: String? = nil) {
    fields = JSONObject()
    self.direction = direction
    self.paths = paths
    self.destinationRoot = destinationRoot
  }

  /// Reads a specification.
  ///
  /// - Parameter json: A JSON object in UTF-8.
  /// - Throws: An ``AsperaError`` if it is no JSON object.
  public init(json: [UInt8]) throws(AsperaError) {
    let value: JSONValue
    do {
      value = try JSONValue(parsing: json)
    } catch {
      throw AsperaError(
        .invalidSpecification, "The transfer specification is not JSON: \(error).",
        remedy: "Pass the value of transfer_spec as it came.")
    }
    guard let object = value.object else {
      throw AsperaError(
        .invalidSpecification, "The transfer specification is not a JSON object.",
        remedy: "Pass the value of transfer_spec, not the list around it.")
    }
    fields = object
  }

  /// The specification as JSON, secrets included.
  public var json: [UInt8] { JSONValue.object(fields).serialized }
}

/// Which way the files go.
public enum TransferDirection: String, Sendable, Hashable {
  /// To the server.
  case send
  /// From the server.
  case receive
}

/// A file or a folder of a transfer.
public struct TransferPath: Sendable, Hashable {
  /// Where it is on the side that sends.
  public var source: String

  /// What it is called under the destination root; nothing if it keeps its name.
  public var destination: String?

  /// Names a file or a folder.
  ///
  /// - Parameters:
  ///   - source: Where it is on the side that sends.
  ///   - destination: What it is called under the destination root. Either all paths of a transfer have one or none.
  public init(_ source: String, to destination: String? = nil) {
    self.source = source
    self.destination = destination
  }
}
