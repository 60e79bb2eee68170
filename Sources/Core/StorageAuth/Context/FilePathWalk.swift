// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An inspection of every folder and symbolic link on a path, from the root folder to a file.
struct FilePathWalk<Facts: FileFacts> {
  struct Findings: Equatable {
    /// The first weakness that would let another user write the file, or `nil` if there is no weakness.
    var weakness: FileWeakness?
    /// The location that determines who can read the file, or `nil` if its mode does.
    var place: FixedPlace?
  }

  /// A folder, a symbolic link or the file itself.
  private struct Step {
    let path: String
    let status: FileStatus
  }

  private let facts: Facts
  /// The names on the path that the walk has not reached, in reverse order, so that the next one is removed at the end.
  private var pendingNames: [Substring]
  private var linkCount = 0
  /// The folders that contain the location that the walk has reached, from the root folder.
  private var folders: [Step] = []
  /// All folders and links that the walk has passed, in this order.
  private var passedSteps: [Step] = []

  /// Inspects the path of an open file, which must lead to this file, so that the file was not replaced meanwhile.
  static func findings(of path: String, opened: FileStatus, on facts: Facts) -> Findings {
    var walk = FilePathWalk(facts: facts, pendingNames: reversedNames(in: path))
    guard let root = facts.status(at: "/") else { return findingsForChangedPath(path) }
    walk.enter(Step(path: "/", status: root))
    guard let file = walk.advance(to: opened) else { return findingsForChangedPath(path) }
    return walk.findings(at: file)
  }

  private static func reversedNames(in path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { Substring($0) }
  }

  private mutating func enter(_ folder: Step) {
    folders.append(folder)
    passedSteps.append(folder)
  }

  /// Walks along the path to the open file, or returns `nil` if the path does not lead to it.
  private mutating func advance(to opened: FileStatus) -> Step? {
    while let name = pendingNames.popLast() {
      if name == "." { continue }
      if name == ".." {
        if folders.count > 1 { folders.removeLast() }
        continue
      }
      // The path of the root folder consists of the slash, which a name follows in any folder.
      let folderPath = folders.dropFirst().last?.path ?? ""
      let path = "\(folderPath)/\(name)"
      guard let status = facts.status(at: path) else { return nil }
      switch status.kind {
      case .link:
        linkCount += 1
        guard linkCount <= longestLinkChain, let target = facts.target(ofLinkAt: path) else { return nil }
        passedSteps.append(Step(path: path, status: status))
        if target.utf8.first == UInt8(ascii: "/") { folders.removeLast(folders.count - 1) }
        pendingNames += Self.reversedNames(in: target)
      case .folder: enter(Step(path: path, status: status))
      case .regular, .other:
        guard pendingNames.isEmpty, status.isSameFile(as: opened) else { return nil }
        return Step(path: path, status: opened)
      }
    }
    return nil
  }

  /// Judges the steps of the walk to a file; those above the app bundle that contains the program do not count.
  private func findings(at file: Step) -> Findings {
    let steps = passedSteps + [file]
    if let bundle = facts.bundle, let index = folders.firstIndex(where: { $0.status.isSameFile(as: bundle) }) {
      // A user who can write the folders around the bundle can replace the program that reads the file. The bundle
      // itself may belong to the user who installs apps.
      let foldersAroundBundle = Set(folders[..<index].map(\.path))
      let stepsInBundle = steps.filter { !foldersAroundBundle.contains($0.path) }
      let weakness = weakness(of: stepsInBundle, trusting: bundle.owner)
      return Findings(weakness: weakness, place: weakness == nil ? .appBundle : nil)
    }
    let weakness = weakness(of: steps)
    let isFixed =
      weakness == nil && file.status.isOnReadOnlyVolume && file.status.owner == 0
      // In a folder with the sticky bit, others can create the folder on which they mount a volume of their own.
      && !passedSteps.contains { $0.status.kind == .folder && $0.status.permissions & 0o022 != 0 }
    return Findings(weakness: weakness, place: isFixed ? .readOnlyVolume : nil)
  }

  /// Returns the first reason why a user other than root, this program's user and an installer could write a step.
  private func weakness(of steps: [Step], trusting installer: UInt32 = 0) -> FileWeakness? {
    let trustedUsers = [0, facts.user, installer]
    for step in steps {
      let subject =
        switch step.status.kind {
        case .folder: "the folder \(step.path)"
        case .link: "the symbolic link \(step.path)"
        case .regular, .other: "the file \(step.path)"
        }
      guard trustedUsers.contains(step.status.owner) else {
        return FileWeakness(
          "\(subject) belongs to the user \(step.status.owner), and not to root or to the user who runs this program",
          remedy: "Inspect its contents, then run chown on \(step.path), or name a file of your own.")
      }
      if step.status.kind == .link { continue }
      // Other users can add files to a folder with the sticky bit but cannot replace existing ones.
      if step.status.kind == .folder, step.status.permissions & 0o1000 != 0 { continue }
      let weakness = FileWeakness(permissions: step.status.permissions, of: subject, at: step.path)
      if let weakness { return weakness }
    }
    return nil
  }

  private static func findingsForChangedPath(_ path: String) -> Findings {
    Findings(
      weakness: FileWeakness(
        "\(path) was replaced while it was read, or its path cannot be inspected",
        remedy: "Check which users may write to its folders, and try again."))
  }
}

/// The maximum number of symbolic links on a path, which is also the kernel's limit.
private let longestLinkChain = 40

/// A location that determines who can read the files in it, so that the mode of a file there cannot be restricted.
package enum FixedPlace: Sendable, Hashable {
  /// The bundle of the running app, which the system installs; a user who can read or write it has the program, too.
  case appBundle
  /// A volume that is mounted read-only, with a file of root in folders that no group and no other user may write.
  case readOnlyVolume
}

/// The facts that decide who can write a file, from this machine and this process or from a test.
protocol FileFacts {
  /// The user who runs this program.
  var user: UInt32 { get }
  /// The status of the folder of the app bundle that contains the running program, or `nil` if it is in none.
  var bundle: FileStatus? { get }
  /// Returns the status of a file, a folder or a symbolic link itself.
  func status(at path: String) -> FileStatus?
  func target(ofLinkAt path: String) -> String?
}
