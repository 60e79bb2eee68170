// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
  /// Returns the parts of the string between the occurrences of a byte, including empty parts.
  ///
  /// A separator that is followed by a combining mark, or that follows a prepended mark, still separates: for Swift's
  /// `Character` view it would be part of a longer character, for a file system and for a service it is a byte.
  ///
  /// - Parameter separator: An ASCII byte, such as that of a slash.
  package func splitBytes(at separator: UInt8) -> [Substring] {
    Substring(self).utf8.split(separator: separator, omittingEmptySubsequences: false).map { Substring($0) }
  }
}
