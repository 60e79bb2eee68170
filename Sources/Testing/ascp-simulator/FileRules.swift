// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth

/// The rules for which files are transferred, which existing files are replaced, and what happens to the sources.
struct FileRules: Sendable {
  /// The fate of a source that was transferred (`--remove-after-transfer`, `--move-after-transfer`).
  enum SourceFate: Sendable, Equatable { case keep, remove, move(toArchive: String) }

  /// The comparison with an existing file, in the order of the values of `-k`.
  private enum Comparison: Int { case none, attributes, sparseChecksums, fullChecksums }

  private enum ManifestForm: String { case none, text }

  let links: SymbolicLinkPolicy
  let skipsSpecialFiles: Bool
  let sourceFate: SourceFate
  /// Whether a source is removed although the existing file was not replaced (`--remove-skipped`).
  let removesSkipped: Bool
  /// Whether folders below the sources are removed once they are empty (`--remove-empty-directories`).
  let removesEmptyFolders: Bool
  /// Whether a source that is a folder is removed once it is empty (`--remove-empty-source-directory`).
  let removesEmptySource: Bool
  /// Whether files that the sources do not contain are first deleted at the destination (`--delete-before-transfer`).
  let deletesOthersFirst: Bool
  /// Whether an existing file is renamed instead of overwritten (`--save-before-overwrite`).
  let savesExisting: Bool
  /// Whether files and folders keep their modification times (`-p`, `--preserve-modification-time`).
  let keepsModificationTime: Bool
  /// Whether the size of all files is reported before the first one, unless `--precalculate-disable` is set.
  let announcesSize: Bool
  let checksum: FileChecksum.Kind?
  let filter: NameFilter
  /// The folder for a manifest of all transferred files, empty for the default folder, or `nil` for no manifest.
  let manifestFolder: String?

  private let overwrite: OverwritePolicy
  private let comparison: Comparison
  /// The limits of modification times in seconds since 1970 (`--exclude-newer-than`, `--exclude-older-than`).
  private let latestModification, earliestModification: Int64?
  private let session: (number: Int, count: Int)

  init(_ commandLine: CommandLineReader, at now: Timestamp = .now) throws(Failure) {
    try commandLine.requireSupportedOptions()
    overwrite = try commandLine.choice(.overwrite) ?? .different
    links = try commandLine.choice(.symbolicLinks) ?? .follow
    comparison = try commandLine.number(.resume, in: 0...3).flatMap { Comparison(rawValue: $0) } ?? .none
    latestModification = try commandLine.time(.excludeNewer, at: now)
    earliestModification = try commandLine.time(.excludeOlder, at: now)
    session = try commandLine.session()
    skipsSpecialFiles = commandLine[.skipSpecialFiles] != nil
    if let archive = commandLine[.moveSources] {
      guard commandLine[.removeSources] == nil else { throw .usage("Sources can be moved or removed, but not both") }
      sourceFate = .move(toArchive: archive)
    } else {
      sourceFate = commandLine[.removeSources] == nil ? .keep : .remove
    }
    removesSkipped = commandLine[.removeSkipped] != nil
    guard !removesSkipped || sourceFate == .remove else {
      throw .usage("\(AscpOption.removeSkipped.rawValue) requires \(AscpOption.removeSources.rawValue)")
    }
    removesEmptyFolders = commandLine[.removeEmptyFolders] != nil
    removesEmptySource = commandLine[.removeEmptySource] != nil
    deletesOthersFirst = commandLine[.deleteBefore] != nil
    savesExisting = commandLine[.saveBeforeOverwrite] != nil
    keepsModificationTime = commandLine[.preserveTimes] != nil || commandLine[.preserveModificationTime] != nil
    announcesSize = commandLine[.noPrecalculation] == nil
    checksum = commandLine[.checksum] == "none" ? nil : try commandLine.choice(.checksum)
    filter = try NameFilter(commandLine)
    guard !deletesOthersFirst || filter.isEmpty && latestModification == nil && earliestModification == nil else {
      throw .usage("\(AscpOption.deleteBefore.rawValue) cannot be combined with options that exclude files")
    }
    let manifestForm: ManifestForm = try commandLine.choice(.manifest) ?? .none
    manifestFolder = manifestForm == .none ? nil : commandLine[.manifestFolder] ?? ""
  }

  func includes(_ file: FileAttributes) -> Bool {
    file.modified <= latestModification ?? .max && file.modified >= earliestModification ?? .min
  }

  /// Returns whether this session transfers the file at an index: the sessions of a transfer share its files.
  func isInThisSession(_ index: Int) -> Bool { index % session.count == session.number - 1 }
  var copiesLinks: Bool { links == .copy || links == .copyAndReplace }
  /// Whether an interrupted file is resumed: not if checksums would have to be compared.
  var resumes: Bool { comparison == .attributes }
  var replacesEverything: Bool { overwrite == .always || overwrite == .different && comparison == .none }

  /// Returns whether a file replaces the existing file at its destination, which is `nil` if there is no such file.
  ///
  /// The size is the only attribute that is compared, as in ascp. Files of the same size can differ. Instead of
  /// comparing checksums, the simulator transfers such files again.
  func replaces(_ existing: FileAttributes?, with file: FileAttributes) -> Bool {
    guard let existing else { return true }
    let isOlder = existing.modified < file.modified
    let differs = comparison != .attributes || existing.byteCount != file.byteCount
    return switch overwrite {
    case .never: false
    case .always: true
    case .different: differs
    case .older: isOlder
    case .differentAndOlder: differs && isOlder
    }
  }
}
