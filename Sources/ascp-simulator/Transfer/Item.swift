/// A file or a folder that is to go through.
struct Item: Sendable {
  /// What it is, and which way it goes.
  enum Kind: Sendable {
    case folderToSend
    case fileToSend
    case folderToReceive
    /// A file of the desk, with the number that it is asked for with.
    case fileToReceive(Int)
  }

  let kind: Kind
  let localPath: String
  let remotePath: String
  let standing: FileRules.Standing
  /// Whether it is what the command line names, and not below it.
  let isSource: Bool

  var byteCount: Int64 { standing.byteCount }
}
