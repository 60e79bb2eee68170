// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The facts that of the knows about this process: its environment, home directory and current directory.
enum CurrentProcess {
  private static let longestEntry = 1 << 14

  /// Returns the value of an environment variable, or `nil` if the variable is not set.
  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The absolute path of the home directory: `HOME`, or what the user's account entry says.
  ///
  /// The value is `nil` if the user has no account entry.
  static var home: String? {
    if let home = variable("HOME"), home.hasBytePrefix("/") { return home }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: longestEntry) { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let start = buffer.baseAddress,
        unsafe getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0,
        unsafe found != nil, let home = unsafe entry.pw_dir
      else { return nil }
      return unsafe String(cString: home)
    }
  }

  /// The absolute path of the current directory, or `nil` if it has been removed or cannot be read.
  static var folder: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&bytes, bytes.count) != nil else { return nil }
    return String(validating: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
