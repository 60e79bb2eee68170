// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The name of a source of keys on the command line; each cloud has a separate set of names.
struct SourceName: ExpressibleByArgument, ExpressibleByStringLiteral, Hashable, CustomStringConvertible {
  /// The source that uses the metadata service of the instance; every cloud has it under this name.
  static let metadata: SourceName = "metadata"

  /// The name.
  let description: String

  init(stringLiteral name: String) {
    description = name
  }

  init(argument: String) {
    description = argument
  }
}
