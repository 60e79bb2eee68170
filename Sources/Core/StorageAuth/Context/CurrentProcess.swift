// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
  internal import MachO
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The facts about this process: its environment, home directory, current folder and app bundle.
enum CurrentProcess {
  /// The size of the buffer for the strings of an account entry, which are a few names and paths.
  private static let accountEntryByteLimit = 1 << 14

  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The absolute path of the home directory, from `HOME` or the user's account entry.
  static var home: String? {
    if let home = variable("HOME"), home.hasBytePrefix("/") { return home }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: accountEntryByteLimit) { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let start = buffer.baseAddress, unsafe getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0,
        unsafe found != nil, let home = unsafe entry.pw_dir
      else { return nil }
      return unsafe String(cString: home)
    }
  }

  /// The absolute path of the current folder, or `nil` if it has been removed or cannot be read.
  static var currentFolder: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&bytes, bytes.count) != nil else { return nil }
    return string(fromC: bytes)
  }

  /// The absolute path of the running program's app bundle, or `nil`, as always outside of Apple's systems.
  static var bundle: String? {
    #if canImport(Darwin)
      // The system passes the path of the program; its arguments could name another one.
      var program = [CChar](repeating: 0, count: Int(PATH_MAX))
      var byteCount = UInt32(PATH_MAX)
      var path = [CChar](repeating: 0, count: Int(PATH_MAX))
      guard unsafe _NSGetExecutablePath(&program, &byteCount) == 0, unsafe realpath(program, &path) != nil else {
        return nil
      }
      return string(fromC: path).flatMap { bundle(ofProgramAt: $0) }
    #else
      return nil
    #endif
  }

  /// Returns the path of the bundle that contains a program directly or, on macOS, in `Contents/MacOS`.
  static func bundle(ofProgramAt path: String) -> String? {
    var folderNames = path.utf8.split(separator: UInt8(ascii: "/")).dropLast().map { String(Substring($0)) }
    if folderNames.suffix(2) == ["Contents", "MacOS"] { folderNames.removeLast(2) }
    guard let bundleName = folderNames.last, [".app", ".appex"].contains(where: { bundleName.hasByteSuffix($0) })
    else { return nil }
    return folderNames.map { "/\($0)" }.joined()
  }

  private static func string(fromC bytes: [CChar]) -> String? {
    String(utf8: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
  }
}
