internal import Foundation
internal import StorageCrypto

/// Which files and folders go, and what they are called where they arrive.
struct SourceNaming: Sendable {
  /// A file or a folder, and what it is called below the destination; nothing if it keeps its name.
  struct Source: Sendable {
    let path: String
    var destination: String?
  }

  /// The files and folders of the command line; those of a persistent session come later.
  let sources: [Source]

  /// The folder that they go to.
  let destination: String

  /// Whether a single file may take the destination for its name, if no folder is there.
  let destinationMayBeFile: Bool

  private let prefix: String?
  private let base: String?

  init(_ line: CommandLineReader, _ mode: Invocation.Mode) throws(Failure) {
    prefix = try Self.decoded(line[.encodedSourcePrefix])
    base = try Self.decoded(line[.encodedSourceBase])
    guard mode != .testLogin else {
      sources = []
      destination = ""
      destinationMayBeFile = false
      return
    }
    guard let last = line.arguments.last else { throw .usage("The destination is missing") }
    destination = line[.encodedDestination] == nil ? last : try Self.decoded(last) ?? ""
    var sources = line.arguments.dropLast().map { Source(path: $0) }
    if let list = line[.list] { sources += try Self.lines(of: list).map { Source(path: $0) } }
    if let list = line[.pairList] {
      let lines = try Self.lines(of: list)
      guard lines.count.isMultiple(of: 2) else { throw .usage("The file pair list has a source without a destination") }
      sources += stride(from: 0, to: lines.count, by: 2).map { Source(path: lines[$0], destination: lines[$0 + 1]) }
    }
    if sources.isEmpty, line[.persistent] == nil { throw .usage("There are no sources") }
    self.sources = sources
    destinationMayBeFile =
      line.arguments.count == 2 && line[.list] == nil && line[.pairList] == nil && line[.createFolder] == nil
      && base == nil && !destination.hasSuffix("/")
  }

  /// Where a source is.
  func path(of source: Source) -> String { prefix.map { Self.joined($0, source.path) } ?? source.path }

  /// What a source is called where it arrives.
  func target(of source: Source) throws(Failure) -> String {
    if let name = source.destination { return Self.joined(destination, name) }
    let path = path(of: source)
    guard let base else { return Self.joined(destination, Self.name(of: path)) }
    let folder = base.hasSuffix("/") ? base : base + "/"
    guard path.hasPrefix(folder) else { throw Failure(41, "The source does not lie below the source base: \(path)") }
    return Self.joined(destination, String(path.dropFirst(folder.count)))
  }

  /// A path below another one.
  static func joined(_ folder: String, _ name: String) -> String {
    let name = name.drop { $0 == "/" }
    if name.isEmpty { return folder }
    return folder.isEmpty || folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

  private static func decoded(_ text: String?) throws(Failure) -> String? {
    guard let text else { return nil }
    guard let bytes = [UInt8](base64: text), let path = String(validating: bytes, as: UTF8.self) else {
      throw .usage("A path is not the Base64 of a text")
    }
    return path
  }

  private static func lines(of list: String) throws(Failure) -> [String] {
    guard let data = FileManager.default.contents(atPath: list), let text = String(validating: data, as: UTF8.self)
    else { throw Failure(4, "The file list cannot be read: \(list)") }
    return text.split(separator: "\n").map(String.init)
  }
}
